"""The command lines of hooks for every client but Claude Code.

These clients mostly tell a shell no session id, so the line only tests whether any session of the
agent has a loop. With one, the interpreter starts at each event and looks for the session itself.
"""

import os

from untildone.agents import CLIENT_PROCESS
from untildone.agents.agent import Agent
from untildone.install.claude_lines import (
    MARK,
    PROMPT_WORDS,
    READ_PAYLOAD,
    HookProgram,
    echo_absent,
)
from untildone.install.settings_editing import Entries, Json

_TIMEOUT = 30
# What a line tests: whether a session has a loop, or an active one.
_HAS_LOOP = 'set -- "$h"/bound/{agent}/*; [ -e "$1" ]'
_IS_HELD = 'set -- "$h"/held/{agent}/*; [ -e "$1" ]'
_TESTS = {
    "Stop": _IS_HELD,
    "PreCompact": _IS_HELD,
    "PreToolUse": _HAS_LOOP,
    "PostToolUse": _HAS_LOOP,
    "PostToolUseFailure": _HAS_LOOP,
    "SessionEnd": _HAS_LOOP,
    "AgentResponse": _HAS_LOOP,
}


def build_entries(agent: Agent, program: HookProgram) -> Entries:
    """Return our hooks for the client, by its own names of the events."""
    layout = agent.LAYOUT
    return Entries(
        hooks={
            name: _build_hook(agent, event, build_line(agent, program, event))
            for event, name in layout.events.items()
        },
        env=layout.variables,
    )


def _build_hook(agent: Agent, event: str, line: str) -> Json:
    layout = agent.LAYOUT
    timeout = layout.timeouts.get(event, _TIMEOUT) * layout.units_per_second
    hook: Json = {"type": "command", "command": line, layout.timeout_key: timeout}
    hook.update(layout.extra_fields.get(event, {}))
    return {"hooks": [hook]} if layout.shape == "groups" else hook


def build_line(agent: Agent, program: HookProgram, event: str) -> str:
    """Return one line of shell; where there is no reliable shell, only the program's call."""
    if os.name == "nt":
        return f"{program.call(event)} {MARK}"
    begin = f"h={program.home}; export {CLIENT_PROCESS}=$PPID;"
    if event == "UserPromptSubmit":
        say_absent = f"{{ {echo_absent(agent.HOOKS)}; exit 0; }}"
        has_loop = _HAS_LOOP.format(agent=program.agent)
        return (
            f"{begin} {READ_PAYLOAD}; {{ {has_loop}; }} ||"
            f" case $p in {PROMPT_WORDS}) ;; *) exit 0 ;; esac;"
            f" {program.require(say_absent)} {program.pipe_payload(event)} {MARK}"
        )
    test = _TESTS.get(event, "").format(agent=program.agent)
    return f"{begin} {f'{{ {test}; }} || exit 0; ' if test else ''}{program.start(event)} {MARK}"
