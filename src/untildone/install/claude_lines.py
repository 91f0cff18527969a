"""The command lines of Claude Code's hooks.

Hooks run at every event of every session, so a shell test in the command itself decides whether
there is anything to do. Only then it starts the interpreter, isolated and by its absolute path.
"""

import json
import os
import shlex
from pathlib import Path

from msgspec import Struct

from untildone.agents.agent import Hooks
from untildone.agents.claude import hooks
from untildone.agents.claude.layout import LAYOUT
from untildone.agents.claude.permissions import PERMISSIONS
from untildone.features.todos.todo_lists import TODO_FILES, TODO_STATE_FILE
from untildone.install.own_entries import CAP, CAP_VARIABLE
from untildone.install.settings_editing import Entries

# The time limit of our hooks in seconds, where the layout says nothing else.
_TIMEOUT = 30
# How often the client asks for the status line although the conversation stands still: while our
# Stop hook runs checks, and after it has ended the loop.
_REFRESH_SECONDS = 1
# The comment by which `uninstall` and the guard recognise our lines.
MARK = "# untildone hook"
_PAYLOAD = 1_000_000
_CALL = 65_536
# Only prompts with one of these start the interpreter: a superset of the words that start a loop.
PROMPT_WORDS = "|".join(
    pattern
    for words in (
        *("untildone", "relentless", "until", "fix\\ all", "tests\\ pass", "code\\ style"),
        "implement\\ the",
        *("cancel\\ th*\\ loop", "pause\\ th*\\ loop", "resume\\ th*\\ loop"),
        *("loop:", "loop\\ -", "loop\\ [Hh]elp", "what\\ is\\ [Ll]oop", "how\\ does\\ [Ll]oop"),
    )
    for pattern in (f"*{words[1:]}*", f"*{words[1:].upper()}*")
)
# Only tool calls with one of these start the interpreter: our state, verbs, settings, schedules.
_TOOL_WORDS = (
    "*untildone*|*settings.json*|*settings.local.json*|*disableAllHooks*|*Cron*|*Schedule*|*Wakeup*"
)

# What a user without untildone is told, for example a colleague: project settings are shared.
ABSENT = "untildone is not installed here, so no loop is held: install it as its README says"
# A new session says it once; later only a prompt that wants a loop does.
_NEW_SESSION = "*'\"startup\"'*"
_WANTED = "*/untildone:*|*elentless*"
# A placeholder for the text that sets `$h`, the state folder, and `$s`, the session's folder.
_SESSION = "@session"
# An active loop is recorded in a second place, so that removing one of the two hides nothing.
_HELD = '[ -f "$h/held/claude/$CLAUDE_CODE_SESSION_ID" ]'
READ_PAYLOAD = f"p=$(head -c {_PAYLOAD})"
_SPOOL = (
    '{ [ -f "$s/loop" ] && echo >>"$s/post" || [ -f "$s/dialects" ]; }'
    f' && head -c {_CALL} >>"$s/calls/$$"'
)
# TODO lists of the client, our own list, and files written since the session began.
_CLIENT = '"${CLAUDE_CONFIG_DIR:-$HOME/.claude}"'
_ID = "$CLAUDE_CODE_SESSION_ID"
_HAS_TODOS = (
    f'[ -d {_CLIENT}/tasks/"{_ID}" ] || [ -f {_CLIENT}/todos/"{_ID}-agent-{_ID}.json" ]'
    ' || [ -f "$s/todos.json" ] || { [ -f "$s/began" ] && for f in '
    + " ".join((*TODO_FILES, TODO_STATE_FILE))
    + '; do [ "${CLAUDE_PROJECT_DIR:-.}/$f" -nt "$s/began" ] && break; done; }'
)


class HookProgram(Struct, frozen=True, kw_only=True):
    """Shell words for the state folder and for the program that handles an event."""

    home: str
    program: str
    arguments: str
    source: str
    agent: str = "claude"

    def call(self, event: str) -> str:
        """Return the shell command that handles an event, with the payload on stdin."""
        return f"{self.program} {self.arguments} {event} {self.agent} {self.source} {self.home}"

    def start(self, event: str, *, absent: str = "exit 0") -> str:
        """Return the same in place of the shell; `absent` runs where there is no such program."""
        return f"{self.require(absent)} exec {self.call(event)}"

    def require(self, absent: str) -> str:
        return f"command -v {self.program} >/dev/null || {absent};"

    def pipe_payload(self, event: str) -> str:
        """Return the same with the payload that the shell has read already."""
        return f'printf %s "$p" | {self.call(event)}'


def build_settings_program(
    *, home: Path, python: Path, package: Path, agent: str = "claude"
) -> HookProgram:
    return HookProgram(
        agent=agent,
        home=shlex.quote(str(home)),
        program=shlex.quote(str(python)),
        arguments=f"-I -S {shlex.quote(str(_find_entry_point(package)))}",
        source="settings",
    )


def _find_entry_point(package: Path) -> Path:
    # The file, not its folder: `runpy` runs a folder, and its imports cost half a start.
    return package / "hooks" / "__main__.py"


def build_shared_program(source: str, agent: str = "claude") -> HookProgram:
    """Return a program without fixed paths: plugin and project settings are for every machine."""
    home = '"${UNTILDONE_HOME:-${XDG_STATE_HOME:-$HOME/.local/state}/untildone}"'
    return HookProgram(home=home, program="untildone", arguments="hook", source=source, agent=agent)


def build_lines(program: HookProgram) -> dict[str, str]:
    """Return one line of shell per event."""
    session = f'h={program.home}; s=$h/sessions/claude/"$CLAUDE_CODE_SESSION_ID"'
    events = _build_session_lines(program) | _build_tool_lines(program)
    return {event: line.replace(_SESSION, session) for event, line in events.items()}


def _build_session_lines(program: HookProgram) -> dict[str, str]:
    say_absent = f"{{ {echo_absent(hooks)}; exit 0; }}"
    say_in_new_session = f"{{ {_say_if('$(cat)', _NEW_SESSION)}; exit 0; }}"
    say_if_wanted = f"{{ {_say_if('$p', _WANTED)}; exit 0; }}"
    return {
        "SessionStart": program.start("SessionStart", absent=say_in_new_session),
        "UserPromptSubmit": (
            f'{_SESSION}; [ ! -f "$s/ending" ] || rm -f "$s/ending"; {READ_PAYLOAD};'
            f' [ -f "$s/loop" ] || {_HELD} || {_HAS_TODOS} ||'
            f" case $p in {PROMPT_WORDS}) ;; *) exit 0 ;; esac;"
            f" {program.require(say_if_wanted)} {program.pipe_payload('UserPromptSubmit')}"
        ),
        # `look`: something other than a loop wants this session's stops.
        "Stop": (
            f'{_SESSION}; [ -f "$s/active" ] || [ -f "$s/look" ] || {_HELD} || exit 0;'
            f" {program.start('Stop', absent=say_absent)}"
        ),
        "ConfigChange": (
            f'{_SESSION}; [ -f "$s/active" ] || {_HELD} || exit 0; {program.start("ConfigChange")}'
        ),
        "PreCompact": f'{_SESSION}; [ -f "$s/active" ] || exit 0; : >"$s/compacting"; exit 0',
        "SessionEnd": (
            f'{_SESSION}; [ -f "$s/session.json" ] || exit 0; {program.start("SessionEnd")}'
        ),
    }


def _say_if(text: str, pattern: str) -> str:
    return f"case {text} in {pattern}) {echo_absent(hooks)} ;; esac"


def echo_absent(client: Hooks) -> str:
    """Return the shell command that tells the client's user, in the client's own answer."""
    # As compact as ever: a line that changes loses the trust of users of Codex.
    answer = json.dumps(json.loads(client.notify(ABSENT)), separators=(",", ":"))
    return f"echo {shlex.quote(answer)}"


def _build_tool_lines(program: HookProgram) -> dict[str, str]:
    return {
        "PreToolUse": (
            f'{_SESSION}; [ -f "$s/loop" ] || {_HELD} || exit 0; echo >>"$s/pre"; {READ_PAYLOAD};'
            f' case $p in {_TOOL_WORDS}) ;; *) [ -f "$s/precheck" ] || exit 0 ;; esac;'
            f" {program.require('exit 0')} {program.pipe_payload('PreToolUse')}; exit 0"
        ),
        # `edits`: the user wants edits checked; the payload has the file's previous content.
        "PostToolUse": (
            f'{_SESSION}; [ -f "$h/edits" ] || {{ {_SPOOL}; exit 0; }}; {READ_PAYLOAD};'
            f" case $p in *originalFile*) {program.pipe_payload('PostToolUse')} ;;"
            f' *) printf %s "$p" | {{ {_SPOOL}; }} ;; esac; exit 0'
        ),
        "PostToolUseFailure": f"{_SESSION}; {_SPOOL}; exit 0",
        # Only this event can end a turn also after failed calls. The time of the file `meter` is
        # when money and minutes are due to be measured again.
        "PostToolBatch": (
            f'{_SESSION}; [ -f "$s/loop" ] || exit 0; : >"$s/pre"; : >"$s/post";'
            f' [ -f "$s/meter" ] && [ "$s/post" -nt "$s/meter" ] || exit 0;'
            f" {program.start('PostToolBatch')}"
        ),
    }


def build_groups(lines: dict[str, str]) -> dict[str, dict[str, object]]:
    return {event: _build_group(event, command=f"{line} {MARK}") for event, line in lines.items()}


def build_windows_groups(
    *, home: Path, python: Path, package: Path
) -> dict[str, dict[str, object]]:
    """Return hooks that start the interpreter at each event: Windows has no reliable shell."""
    entry = str(_find_entry_point(package))
    arguments = {
        event: ["-I", "-S", entry, event, "claude", "settings", str(home)]
        for event in build_lines(build_shared_program("settings"))
    }
    return {
        event: _build_group(event, command=str(python), args=words)
        for event, words in arguments.items()
    }


def _build_group(event: str, **command: object) -> dict[str, object]:
    timeout = LAYOUT.timeouts.get(event, _TIMEOUT)
    return {"hooks": [{"type": "command", **command, "timeout": timeout}]}


def build_settings_entries(*, home: Path, python: Path, package: Path) -> Entries:
    program = build_settings_program(home=home, python=python, package=package)
    if os.name == "nt":
        hooks = build_windows_groups(home=home, python=python, package=package)
        return _build_entries(program, hooks)
    return _build_entries(program, build_groups(build_lines(program)))


def build_project_entries() -> Entries:
    """Return the entries for settings that a team shares: without a path of this machine."""
    program = build_shared_program("project")
    return _build_entries(program, build_groups(build_lines(program)))


def _build_entries(program: HookProgram, hooks: dict[str, dict[str, object]]) -> Entries:
    session = f's={program.home}/sessions/claude/"$CLAUDE_CODE_SESSION_ID"'
    test = f'{session}; [ -f "$s/loop" ] || [ -f "$s/ending" ] || exit 0'
    status_line = f"{test}; {program.start('StatusLine')} {MARK}"
    return Entries(
        hooks=hooks,
        env={CAP_VARIABLE: str(CAP)},
        status_line={
            "type": "command",
            "command": status_line,
            "refreshInterval": _REFRESH_SECONDS,
        },
        permissions=PERMISSIONS,
    )


def build_plugin_entries() -> Entries:
    return Entries(hooks=build_groups(build_lines(build_shared_program("plugin"))))
