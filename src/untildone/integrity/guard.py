"""Which tool calls of the agent would touch the loop itself: standard library only.

The fence is polite, not the wall: it tells an agent that means well what to do instead.
"""

import os
import re
import shlex

from untildone.integrity.entries import touches_ours

PERSON_VERBS = frozenset(
    ("approve", "cancel", "continue", "init", "pause", "rollback", "trust", "uninstall")
)
_PLAIN_VERBS = frozenset(
    ("stop", "cancel", "pause", "continue", "cancel relentless mode", "stop relentless mode")
)
_SLASH = re.compile(r"^/?untildone:(\w+)")
_READERS = frozenset(
    re.findall(
        r"\S+",
        "cat cd cut diff du echo egrep file grep head jq less ls more pwd realpath rg sort stat"
        " tail test tree true uniq wc [",
    )
)
_WRAPPERS = frozenset(
    ("command", "doas", "env", "exec", "nice", "nohup", "setsid", "sudo", "time", "xargs")
)
_SHELLS = frozenset(["sh", "bash", "dash", "zsh", "ksh", "fish"])
_EDITORS = frozenset(("Edit", "Write", "MultiEdit", "NotebookEdit"))
_SETTINGS = ("settings.json", "settings.local.json")
_INSTEAD_STATE = "the loop's state is kept by untildone; use `untildone note`, `met` or `signal`"
_INSTEAD_VERB = "only the person can do that; if you cannot go on, run `untildone blocked REASON`"
_INSTEAD_SETTINGS = "leave untildone's entries as they are; other keys may be changed with Edit"


def refusal(tool: str, inputs: dict[str, object], *, cwd: str, protected: tuple[str, ...]) -> str:
    """Why this call is refused, with what to do instead; nothing if it is none of our business."""
    if tool in _EDITORS:
        return _refuse_edit(inputs, protected)
    if tool == "Bash":
        return _refuse_command(str(inputs.get("command", "")), cwd, protected)
    if tool == "Skill":
        return _refuse_verb(str(inputs.get("skill", inputs.get("command", ""))))
    if re.search("Cron|Schedule|Wakeup|Trigger", tool):
        return _refuse_schedule(inputs)
    return ""


def _refuse_edit(inputs: dict[str, object], protected: tuple[str, ...]) -> str:
    path = str(inputs.get("file_path") or inputs.get("notebook_path") or "")
    if _inside(path, protected):
        return f"`{path}` belongs to untildone: {_INSTEAD_STATE}"
    if not _is_settings(path):
        return ""
    before = _text(path)
    harm = touches_ours(before, _edited(before, inputs))
    return f"refused, because {harm}: {_INSTEAD_SETTINGS}" if harm else ""


def _edited(before: str, inputs: dict[str, object]) -> str:
    """The file's text after the edit."""
    if "content" in inputs:
        return str(inputs["content"])
    edits = inputs.get("edits") if isinstance(inputs.get("edits"), list) else [inputs]
    for edit in edits if isinstance(edits, list) else []:
        if isinstance(edit, dict):
            old, new = str(edit.get("old_string", "")), str(edit.get("new_string", ""))
            before = before.replace(old, new, -1 if edit.get("replace_all") else 1)
    return before


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read(1_000_000)
    except (OSError, ValueError):
        return ""


def _is_settings(path: str) -> bool:
    folder, name = os.path.split(path)
    return name in _SETTINGS and os.path.basename(folder) == ".claude"


def _inside(path: str, folders: tuple[str, ...]) -> bool:
    real = os.path.realpath(path)
    return any(real == folder or real.startswith(folder + os.sep) for folder in folders)


def _refuse_command(command: str, cwd: str, protected: tuple[str, ...]) -> str:
    for words in simple_commands(command):
        program, arguments = _program(words)
        if program in _SHELLS and "-c" in arguments[:-1]:
            inner = arguments[arguments.index("-c") + 1]
            reason = _refuse_command(inner, cwd, protected)
        else:
            reason = _refuse_simple(program, arguments, cwd, protected)
        if reason:
            return reason
    return ""


def _refuse_simple(program: str, arguments: list[str], cwd: str, protected: tuple[str, ...]) -> str:
    verb = _verb_called(program, arguments)
    if verb in PERSON_VERBS:
        return f"`untildone {verb}` is refused: {_INSTEAD_VERB}"
    if program in _READERS and ">" not in arguments and ">>" not in arguments:
        return ""
    for word in (program, *arguments):
        path = os.path.join(cwd, os.path.expandvars(os.path.expanduser(word)))
        if _inside(path, protected):
            return f"`{word}` belongs to untildone: {_INSTEAD_STATE}"
        if _is_settings(path) and program not in ("git", "untildone"):
            return f"`{word}` holds untildone's entries: {_INSTEAD_SETTINGS}"
    return ""


def simple_commands(command: str) -> list[list[str]]:
    """The command line taken apart at its operators; redirections stay as words."""
    lexer = shlex.shlex(command.replace("\n", " ; "), posix=True, punctuation_chars="();<>|&`")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:
        words = command.split()
    found: list[list[str]] = [[]]
    for word in words:
        if word and set(word) <= set("();|&`{}"):
            found.append([])
        else:
            found[-1].append(word)
    return [words for words in found if words]


def _program(words: list[str]) -> tuple[str, list[str]]:
    """The program's bare name and its arguments, past assignments and wrappers."""
    rest = list(words)
    while rest and (re.match(r"^\w+=", rest[0]) or _bare(rest[0]) in _WRAPPERS):
        wrapper = _bare(rest.pop(0)) in _WRAPPERS
        while wrapper and rest and (rest[0].startswith("-") or rest[0].isdigit()):
            rest.pop(0)
    return (_bare(rest[0]), rest[1:]) if rest else ("", [])


def _bare(word: str) -> str:
    return os.path.basename(word).removesuffix(".exe")


def _verb_called(program: str, arguments: list[str]) -> str:
    if program.startswith("python") and "-m" in arguments[:-1]:
        at = arguments.index("-m")
        program, arguments = arguments[at + 1], arguments[at + 2 :]
    if program not in ("untildone", "uvx", "pipx", "uv"):
        return ""
    if program != "untildone" and "untildone" in arguments:
        arguments = arguments[arguments.index("untildone") + 1 :]
    return next((word for word in arguments if not word.startswith("-")), "")


def _refuse_verb(text: str) -> str:
    found = _SLASH.match(text.strip())
    if found and found[1] in PERSON_VERBS:
        return f"`{text.strip()}` is refused: {_INSTEAD_VERB}"
    return ""


def _refuse_schedule(inputs: dict[str, object]) -> str:
    for value in inputs.values():
        text = str(value).strip()
        if text.lower() in _PLAIN_VERBS or _refuse_verb(text):
            return f"scheduling `{text}` is refused: {_INSTEAD_VERB}"
    return ""
