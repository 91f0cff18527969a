"""The composition root: where the engine is given its features, for hooks and commands alike."""

import os
from collections.abc import Mapping
from pathlib import Path

from untildone.agents.registry import AGENTS, find_agent
from untildone.check_lineage import register_home
from untildone.engine.context import Context
from untildone.engine.dispatch import answer_event
from untildone.engine.payload import Call, describe_unknown
from untildone.features.registry import FEATURES


def open_context(
    environ: Mapping[str, str] | None = None, *, home: str = "", agent: str = "claude"
) -> Context:
    """Return the context of a hook or command, with all features and this agent."""
    environ = dict(os.environ) if environ is None else environ
    if not home:
        # Imported where it is used: the installed hooks pass their home.
        from untildone.store.home import find_state_home

        home = os.fspath(find_state_home(environ))
    register_home(home)
    return Context(home=Path(home), environ=environ, agent=find_agent(agent), features=FEATURES)


def answer(call: Call) -> str:
    """Return what the hook prints; for an agent that is not known here, a line that says so."""
    if call.agent not in AGENTS:
        return str(call.client.notify(describe_unknown("agent", call.agent)))
    context = open_context(call.environ, home=call.home, agent=call.agent)
    return context.agent.LAYOUT.rename_commands(answer_event(context, call))
