"""The command lines of Claude Code's hooks.

Hooks run at every event of every session, so that there is nothing to do is decided by a shell
test in the command itself; the interpreter is named by its absolute path and starts isolated.
"""

import os
import shlex
from pathlib import Path

from msgspec import Struct

from untildone.agents.permissions import PERMISSIONS
from untildone.core.todos import TODO_FILES, TODO_STATE_FILE
from untildone.install.entries import CAP, CAP_VARIABLE
from untildone.install.settings import Entries

# Seconds the client gives our hooks, by event.
_TIMEOUTS = {"Stop": 3_600, "SessionEnd": 10}
_TIMEOUT = 30
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


# Where the state's home and the session's folder become `$h` and `$s`.
_SESSION = "@session"
# An active loop is named in a second place: who removes one of the two is not out of sight.
_HELD = '[ -f "$h/held/claude/$CLAUDE_CODE_SESSION_ID" ]'
_READ = f"p=$(head -c {_PAYLOAD})"
_SPOOL = (
    '{ [ -f "$s/loop" ] && echo >>"$s/post" || [ -f "$s/dialects" ]; }'
    f' && head -c {_CALL} >>"$s/calls/$$"'
)
# Lists that the client keeps, one that we keep, and files written since the session began.
_CLIENT = '"${CLAUDE_CONFIG_DIR:-$HOME/.claude}"'
_OWN = "$CLAUDE_CODE_SESSION_ID"
_LISTED = (
    f'[ -d {_CLIENT}/tasks/"{_OWN}" ] || [ -f {_CLIENT}/todos/"{_OWN}-agent-{_OWN}.json" ]'
    ' || [ -f "$s/todos.json" ] || { [ -f "$s/began" ] && for f in '
    + " ".join((*TODO_FILES, TODO_STATE_FILE))
    + '; do [ "${CLAUDE_PROJECT_DIR:-.}/$f" -nt "$s/began" ] && break; done; }'
)


class HookProgram(Struct, frozen=True, kw_only=True):
    """How a command finds us: shell words for the state's home and for what runs an event."""

    home: str
    program: str
    arguments: str
    source: str

    def event(self, name: str) -> str:
        return f"{self.program} {self.arguments} {name} claude {self.source} {self.home}"

    def told(self, name: str) -> str:
        """With the payload that the shell has read already."""
        return f'printf %s "$p" | {self.event(name)}'


def build_settings_program(*, home: Path, python: Path, package: Path) -> HookProgram:
    return HookProgram(
        home=shlex.quote(str(home)),
        program=shlex.quote(str(python)),
        arguments=f"-I -S {shlex.quote(str(_find_entry_point(package)))}",
        source="settings",
    )


def _find_entry_point(package: Path) -> Path:
    # As a file, not as its folder: a folder is run by `runpy`, whose imports cost half a start.
    return package / "hooks" / "__main__.py"


def build_plugin_program() -> HookProgram:
    """A plugin is the same on every machine: what it needs is found when it runs."""
    home = '"${UNTILDONE_HOME:-${XDG_STATE_HOME:-$HOME/.local/state}/untildone}"'
    return HookProgram(home=home, program="untildone", arguments="hook", source="plugin")


def build_lines(program: HookProgram) -> dict[str, str]:
    """One line of shell per event."""
    session = f'h={program.home}; s=$h/sessions/claude/"$CLAUDE_CODE_SESSION_ID"'
    events = _build_session_lines(program) | _build_tool_lines(program)
    return {event: line.replace(_SESSION, session) for event, line in events.items()}


def _build_session_lines(program: HookProgram) -> dict[str, str]:
    return {
        "SessionStart": _run_if_present(program, "SessionStart"),
        "UserPromptSubmit": (
            f'{_SESSION}; {_READ}; [ -f "$s/loop" ] || {_HELD} || {_LISTED} ||'
            f" case $p in {_PROMPT_WORDS}) ;; *) exit 0 ;; esac;"
            f" {_report_if_absent(program)}{program.told('UserPromptSubmit')}"
        ),
        # `look`: without a loop, there is something else at this session's stops.
        "Stop": (
            f'{_SESSION}; [ -f "$s/active" ] || [ -f "$s/look" ] || {_HELD} || exit 0;'
            f" exec {program.event('Stop')}"
        ),
        "ConfigChange": (
            f'{_SESSION}; [ -f "$s/active" ] || {_HELD} || exit 0;'
            f" exec {program.event('ConfigChange')}"
        ),
        "PreCompact": f'{_SESSION}; [ -f "$s/active" ] || exit 0; : >"$s/compacting"; exit 0',
        "SessionEnd": (
            f'{_SESSION}; [ -f "$s/session.json" ] || exit 0; exec {program.event("SessionEnd")}'
        ),
    }


def _build_tool_lines(program: HookProgram) -> dict[str, str]:
    return {
        "PreToolUse": (
            f'{_SESSION}; [ -f "$s/loop" ] || {_HELD} || exit 0; echo >>"$s/pre"; {_READ};'
            f' case $p in {_TOOL_WORDS}) ;; *) [ -f "$s/precheck" ] || exit 0 ;; esac;'
            f" {program.told('PreToolUse')}; exit 0"
        ),
        # `edits`: the person wants them looked at; the client tells what a file was before.
        "PostToolUse": (
            f'{_SESSION}; [ -f "$h/edits" ] || {{ {_SPOOL}; exit 0; }}; {_READ};'
            f" case $p in *originalFile*) {program.told('PostToolUse')} ;;"
            f' *) printf %s "$p" | {{ {_SPOOL}; }} ;; esac; exit 0'
        ),
        "PostToolUseFailure": f"{_SESSION}; {_SPOOL}; exit 0",
        # Only here does the client end a turn after calls that failed, too. `meter` has the time
        # of the next look at money and minutes.
        "PostToolBatch": (
            f'{_SESSION}; [ -f "$s/loop" ] || exit 0; : >"$s/pre"; : >"$s/post";'
            f' [ -f "$s/meter" ] && [ "$s/post" -nt "$s/meter" ] &&'
            f" exec {program.event('PostToolBatch')}; exit 0"
        ),
    }


def _run_if_present(program: HookProgram, event: str) -> str:
    """Silent where we are not installed: settings of a project travel without us."""
    return f"command -v {program.program} >/dev/null || exit 0; exec {program.event(event)}"


def _report_if_absent(program: HookProgram) -> str:
    message = '{"systemMessage":"untildone is not installed here: pipx install untildone"}'
    return f"command -v {program.program} >/dev/null || {{ echo '{message}'; exit 0; }}; "


def build_groups(texts: dict[str, str]) -> dict[str, dict[str, object]]:
    return {
        event: {
            "hooks": [
                {
                    "type": "command",
                    "command": f"{text} {MARK}",
                    "timeout": _TIMEOUTS.get(event, _TIMEOUT),
                },
            ]
        }
        for event, text in texts.items()
    }


def build_windows_groups(
    *, home: Path, python: Path, package: Path
) -> dict[str, dict[str, object]]:
    """Without a shell to rely on, each event starts the interpreter itself."""
    entry = str(_find_entry_point(package))

    def hook(event: str) -> dict[str, object]:
        arguments = ["-I", "-S", entry, event, "claude", "settings", str(home)]
        timeout = _TIMEOUTS.get(event, _TIMEOUT)
        return {"type": "command", "command": str(python), "args": arguments, "timeout": timeout}

    return {event: {"hooks": [hook(event)]} for event in build_lines(build_plugin_program())}


def build_settings_entries(*, home: Path, python: Path, package: Path) -> Entries:
    program = build_settings_program(home=home, python=python, package=package)
    hooks = (
        build_windows_groups(home=home, python=python, package=package)
        if os.name == "nt"
        else build_groups(build_lines(program))
    )
    return Entries(
        hooks=dict(hooks),
        env={CAP_VARIABLE: str(CAP)},
        status_line={"type": "command", "command": _build_status_line(program)},
        permissions=PERMISSIONS,
    )


def _build_status_line(program: HookProgram) -> str:
    test = f'[ -f {program.home}/sessions/claude/"$CLAUDE_CODE_SESSION_ID"/loop ] || exit 0'
    return f"{test}; exec {program.event('StatusLine')} {MARK}"


def build_plugin_entries() -> Entries:
    return Entries(hooks=dict(build_groups(build_lines(build_plugin_program()))))
