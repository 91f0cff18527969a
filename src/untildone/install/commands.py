"""The command lines of Claude Code's hooks.

Hooks run at every event of every session, so that there is nothing to do is decided by a shell
test in the command itself; the interpreter is named by its absolute path and starts isolated.
"""

import os
import shlex
from pathlib import Path

from msgspec import Struct

from untildone.agents.permissions import PERMISSIONS
from untildone.install.settings import Entries
from untildone.integrity.entries import CAP, CAP_VARIABLE
from untildone.loop.todos import FILES, STATE

STOP_TIMEOUT = 3_600
# By this comment `uninstall` and the guard know our lines, whatever else stands in them.
MARK = "# untildone hook"
_PAYLOAD = 1_000_000
_CALL = 65_536
# What a prompt must contain to be looked at: a superset of the words that start a loop.
_PROMPT_WORDS = "|".join(
    pattern
    for words in (
        *("untildone", "relentless", "until", "fix\\ all", "tests\\ pass", "code\\ style"),
        *("loop:", "loop\\ -", "loop\\ [Hh]elp", "what\\ is\\ [Ll]oop", "how\\ does\\ [Ll]oop"),
    )
    for pattern in (f"*{words[1:]}*", f"*{words[1:].upper()}*")
)
# What a tool call must contain to be looked at: our state, our verbs, settings, a schedule.
_TOOL_WORDS = (
    "*untildone*|*settings.json*|*settings.local.json*|*disableAllHooks*|*Cron*|*Schedule*|*Wakeup*"
)


class Program(Struct, frozen=True, kw_only=True):
    """How a command finds us: shell words for the state's home and for what runs an event."""

    home: str
    program: str
    arguments: str
    source: str

    def event(self, name: str) -> str:
        return f"{self.program} {self.arguments} {name} claude {self.source} {self.home}"


def settings_program(*, home: Path, python: Path, package: Path) -> Program:
    return Program(
        home=shlex.quote(str(home)),
        program=shlex.quote(str(python)),
        arguments=f"-I -S {shlex.quote(str(_entry(package)))}",
        source="settings",
    )


def _entry(package: Path) -> Path:
    # As a file, not as its folder: a folder is run by `runpy`, whose imports cost half a start.
    return package / "hook" / "__main__.py"


def plugin_program() -> Program:
    """A plugin is the same on every machine: what it needs is found when it runs."""
    home = '"${UNTILDONE_HOME:-${XDG_STATE_HOME:-$HOME/.local/state}/untildone}"'
    return Program(home=home, program="untildone", arguments="hook", source="plugin")


def lines(program: Program) -> dict[str, str]:
    """One line of shell per event."""
    session = f'h={program.home}; s=$h/sessions/claude/"$CLAUDE_CODE_SESSION_ID"'
    active = f'{session}; [ -f "$s/active" ] || exit 0'
    bound = f'{session}; [ -f "$s/loop" ] || exit 0'
    # An active loop is named in a second place: who removes one of the two is not out of sight.
    held = '[ -f "$h/held/claude/$CLAUDE_CODE_SESSION_ID" ]'
    ended = '{ [ -f "$s/loop" ] && echo >>"$s/post" || [ -f "$s/dialects" ]; }'
    spool = f'{ended} && head -c {_CALL} >>"$s/calls/$$"'
    payload = f"p=$(head -c {_PAYLOAD})"
    # Lists that the client keeps, one that we keep, and files written since the session began.
    client = '"${CLAUDE_CONFIG_DIR:-$HOME/.claude}"'
    own = "$CLAUDE_CODE_SESSION_ID"
    listed = (
        f'[ -d {client}/tasks/"{own}" ] || [ -f {client}/todos/"{own}-agent-{own}.json" ]'
        ' || [ -f "$s/todos.json" ] || { [ -f "$s/began" ] && for f in '
        + " ".join((*FILES, STATE))
        + '; do [ "${CLAUDE_PROJECT_DIR:-.}/$f" -nt "$s/began" ] && break; done; }'
    )

    def hand(event: str) -> str:
        return f'printf %s "$p" | {program.event(event)}'

    return {
        "SessionStart": _present(program, "SessionStart"),
        "UserPromptSubmit": (
            f'{session}; {payload}; [ -f "$s/loop" ] || {held} || {listed} ||'
            f" case $p in {_PROMPT_WORDS}) ;; *) exit 0 ;; esac;"
            f" {_absent(program)}{hand('UserPromptSubmit')}"
        ),
        "PreToolUse": (
            f'{session}; [ -f "$s/loop" ] || {held} || exit 0; echo >>"$s/pre"; {payload};'
            f' case $p in {_TOOL_WORDS}) ;; *) [ -f "$s/precheck" ] || exit 0 ;; esac;'
            f" {hand('PreToolUse')}; exit 0"
        ),
        # `edits`: the person wants them looked at; the client tells what a file was before.
        "PostToolUse": (
            f'{session}; [ -f "$h/edits" ] || {{ {spool}; exit 0; }}; {payload};'
            f" case $p in *originalFile*) {hand('PostToolUse')} ;;"
            f' *) printf %s "$p" | {{ {spool}; }} ;; esac; exit 0'
        ),
        "PostToolUseFailure": f"{session}; {spool}; exit 0",
        # Only here does the client end a turn after calls that failed, too. `meter` has the time
        # of the next look at money and minutes.
        "PostToolBatch": (
            f'{bound}; : >"$s/pre"; : >"$s/post"; [ -f "$s/meter" ] &&'
            f' [ "$s/post" -nt "$s/meter" ] && exec {program.event("PostToolBatch")}; exit 0'
        ),
        # `look`: without a loop, there is something else at this session's stops.
        "Stop": (
            f'{session}; [ -f "$s/active" ] || [ -f "$s/look" ] || {held} || exit 0;'
            f" exec {program.event('Stop')}"
        ),
        "ConfigChange": (
            f'{session}; [ -f "$s/active" ] || {held} || exit 0;'
            f" exec {program.event('ConfigChange')}"
        ),
        "PreCompact": f'{active}; : >"$s/compacting"; exit 0',
        "SessionEnd": (
            f'{session}; [ -f "$s/session.json" ] || exit 0; exec {program.event("SessionEnd")}'
        ),
    }


def _present(program: Program, event: str) -> str:
    """Silent where we are not installed: settings of a project travel without us."""
    return f"command -v {program.program} >/dev/null || exit 0; exec {program.event(event)}"


def _absent(program: Program) -> str:
    message = '{"systemMessage":"untildone is not installed here: pipx install untildone"}'
    return f"command -v {program.program} >/dev/null || {{ echo '{message}'; exit 0; }}; "


def groups(texts: dict[str, str]) -> dict[str, dict[str, object]]:
    timeouts = {"Stop": STOP_TIMEOUT, "SessionEnd": 10}
    return {
        event: {
            "hooks": [
                {
                    "type": "command",
                    "command": f"{text} {MARK}",
                    "timeout": timeouts.get(event, 30),
                },
            ]
        }
        for event, text in texts.items()
    }


def windows_groups(*, home: Path, python: Path, package: Path) -> dict[str, dict[str, object]]:
    """Without a shell to rely on, each event starts the interpreter itself."""
    entry = str(_entry(package))

    def hook(event: str) -> dict[str, object]:
        arguments = ["-I", "-S", entry, event, "claude", "settings", str(home)]
        timeout = STOP_TIMEOUT if event == "Stop" else 30
        return {"type": "command", "command": str(python), "args": arguments, "timeout": timeout}

    return {event: {"hooks": [hook(event)]} for event in lines(plugin_program())}


def settings_entries(*, home: Path, python: Path, package: Path) -> Entries:
    program = settings_program(home=home, python=python, package=package)
    hooks = (
        windows_groups(home=home, python=python, package=package)
        if os.name == "nt"
        else groups(lines(program))
    )
    return Entries(
        hooks=dict(hooks),
        env={CAP_VARIABLE: str(CAP)},
        status_line={"type": "command", "command": _status_line(program)},
        permissions=PERMISSIONS,
    )


def _status_line(program: Program) -> str:
    test = f'[ -f {program.home}/sessions/claude/"$CLAUDE_CODE_SESSION_ID"/loop ] || exit 0'
    return f"{test}; exec {program.event('StatusLine')} {MARK}"


def plugin_entries() -> Entries:
    return Entries(hooks=dict(groups(lines(plugin_program()))))
