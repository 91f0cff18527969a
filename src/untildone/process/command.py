"""The program, arguments and environment of a check's command line."""

import contextlib
import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from untildone.core.late_patterns import compile_late

NESTED = "UNTILDONE_NESTED"
WINDOWS_SHELL = ("cmd", "/d", "/s", "/c")

# Shell syntax anywhere, or an assignment, reserved word or builtin at the beginning.
_POSIX_SHELL = compile_late(
    r"[;&|<>$`*?\[\](){}~#!\n]|^\s*(\w+\+?=|(\.|:|alias|bg|case|cd|command|eval|exec|exit|export"
    r"|fg|for|hash|if|jobs|read|readonly|return|set|shift|source|time|times|trap|type|ulimit"
    r"|umask|unalias|unset|until|wait|while)(\s|$))"
)
# Quotes too: cmd and each program have their own quoting rules.
_WINDOWS_SHELL = compile_late(
    r"(?i)[&|<>()%!^\"'\n]|^\s*(assoc|call|cd|chdir|cls|copy|date|del|dir|echo|erase|exit|for|ftype"
    r"|if|md|mkdir|mklink|move|path|pause|popd|pushd|rd|rem|ren|rename|rmdir|set|start|time"
    r"|title|type|ver|vol)(\s|$)"
)

_CLIENT_VARIABLE = compile_late(
    r"(?is)(CLAUDE|ANTHROPIC_|OPENAI_|GEMINI_|GOOGLE_GEMINI_|GOOGLE_GENAI_|QWEN_|DASHSCOPE_|CODEX_"
    r"|COPILOT_|GITHUB_COPILOT_|CURSOR_|OPENCODE_|OPENROUTER_|MCP_).*"
    r"|OPENCODE|AI_AGENT|GOOGLE_API_KEY|AWS_BEARER_TOKEN_BEDROCK"
    r"|(GH|GITHUB)_(ENTERPRISE_)?TOKEN|GITHUB_(PERSONAL_ACCESS|API)_TOKEN"
)
# Node warns at every start if one of these is set together with NO_COLOR.
_COLOURS = frozenset({"FORCE_COLOR", "CLICOLOR_FORCE", "COLORTERM"})
_PLAIN = {
    NESTED: "1",
    "NO_COLOR": "1",
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}


def parse_argv(command: str, *, windows: bool = os.name == "nt") -> list[str]:
    """Split a command, or wrap it in a shell if it needs one.

    Without a shell, a missing program can be reported by its name."""
    if windows:
        return [*WINDOWS_SHELL, command] if _WINDOWS_SHELL.search(command) else command.split()
    if not _POSIX_SHELL.search(command):
        # The shell reports an unclosed quote better than we could.
        with contextlib.suppress(ValueError):
            return shlex.split(command)
    return ["sh", "-c", command]


def quote_argument(word: str) -> str:
    """Quote one argument for the shell of this system."""
    if os.name == "nt":
        return f'"{word}"' if " " in word else word
    return shlex.quote(word)


def filter_environment(base: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a check: no key, token or session of a coding client."""
    inherited = {
        name: value
        for name, value in base.items()
        if name.upper() not in _COLOURS and not _CLIENT_VARIABLE.fullmatch(name)
    }
    return inherited | _PLAIN


def find_program(name: str, env: Mapping[str, str]) -> str | None:
    """Find it in the absolute folders of PATH: Windows would search the current folder first."""
    for folder in map(Path, env.get("PATH", os.defpath).split(os.pathsep)):
        if folder.is_absolute() and (found := shutil.which(folder / name)):
            return os.fspath(found)
    return None


def explain_missing_program(argv: Sequence[str], *, cwd: Path, error: Exception) -> str:
    """Say why a program could not be started."""
    if not argv:
        return "the command is empty"
    program = f"`{argv[0]}`"
    if not cwd.is_dir():
        return f"the folder `{cwd}` does not exist"
    if isinstance(error, FileNotFoundError):
        exists = os.sep in argv[0] and (cwd / argv[0]).exists()
        return (
            f"the interpreter of {program} was not found" if exists else f"{program} was not found"
        )
    if isinstance(error, PermissionError):
        return f"{program} is not executable"
    return f"{program} cannot be started: {error}"
