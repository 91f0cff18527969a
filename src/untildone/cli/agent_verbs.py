"""How a report of the agent is recorded, also if its shell cannot write our state."""

from collections.abc import Callable
from pathlib import Path

import click

from untildone.cli.authority import require_own_loop
from untildone.cli.loops import choose_loop, current_session_id, open_context
from untildone.engine.agent_verbs import AgentVerb, format_verb
from untildone.engine.context import Context
from untildone.engine.verbs import record_agent_verb
from untildone.errors import UserError
from untildone.store.loops import Record


def require_text(_context: click.Context, parameter: click.Parameter, text: str) -> str:
    """A click callback that refuses an empty text."""
    if not text.strip():
        name = parameter.opts[0] if isinstance(parameter, click.Option) else parameter.name
        raise UserError(f"`{name}` is empty", hint="say it in words")
    return text


def record_verb(
    which: tuple[str | None, Path | None],
    verb: AgentVerb | tuple[AgentVerb, ...],
    record: Callable[[Context, str], Record] | None = None,
    *,
    done: str,
) -> None:
    """`which` is the loop and the project, each None if it was not given.

    A verb of a feature brings its own `record`.
    """
    context = open_context()
    loop = choose_loop(context, *which)
    require_own_loop(context, loop)
    verbs = verb if isinstance(verb, tuple) else (verb,)
    try:
        if record:
            record(context, loop.contract.id)
        else:
            record_agent_verb(context, loop.contract.id, verbs[0])
    except OSError:
        if not current_session_id(context):
            raise
        # A sandboxed shell: the hook reads this line from the tool call's output.
        for each in verbs:
            click.echo(format_verb(each))
    click.echo(done)
