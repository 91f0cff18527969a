"""Refusals of tool calls that would change the loop itself. Standard library only.

This does not stop a determined agent; it tells a cooperative one what to do instead.
"""

import os
import re

from untildone.commands.shell import find_redirect_targets, is_untildone, parse_calls, program_name
from untildone.commands.written_files import (
    MAX_COMMAND_LENGTH,
    is_editor,
    list_changed_words,
    list_named_paths,
    list_patched_paths,
    only_reads,
    resolve_word,
)
from untildone.install.own_entries import describe_harm

# A process that has the link of such a page can use the user's verbs.
_ACTING_PAGE = "serve --allow-verbs"
# `hook` and `baseline` are called by clients and by ourselves, with the user's rights.
USER_VERBS = frozenset(
    (
        *("approve", "cancel", "continue", "init", "pause", "rollback", "trust", "uninstall"),
        *("baseline", "clean", "hook", "notify", "otel", "worker", _ACTING_PAGE),
    )
)
_PLAIN_VERBS = frozenset(("stop", "cancel", "end", "pause", "continue", "resume"))
# What a plain verb may name: "cancel the loop".
_LOOP_NAMES = ("relentless mode", "the loop", "this loop", "loop", "")
_SLASH_COMMAND = re.compile(r"^/?untildone:([\w-]+)")
_GIT_READS = frozenset(
    (
        *("blame", "describe", "diff", "grep", "log", "ls-files", "ls-tree", "rev-parse"),
        *("shortlog", "show", "status"),
    )
)
_INSTALLERS = frozenset(("pip", "pip3", "pipx", "uv", "uvx"))
_REMOVERS = frozenset(("mv", "rm", "rmdir"))
_SCHEDULER = re.compile("Cron|Schedule|Wakeup|Trigger")
_INSTEAD_STATE = "the loop's state is kept by untildone; use `untildone note`, `met` or `signal`"
_INSTEAD_VERB = "only the user can do that; if you cannot go on, run `untildone blocked REASON`"
_PRECHECK_FIRST = (
    "the changes of this loop are hard to undo (type 1): find out how they could go wrong, and"
    " record that before the first change: `untildone precheck --evidence TEXT`"
)
_INSTEAD_USER = "only the user can change it; leave it as it is"
_INSTEAD_SETTINGS = "leave untildone's entries as they are; change other keys with Edit"


class Places:
    """What a tool call must not change: folders of ours, and settings files that have our hooks.

    A settings file lies in a folder of the client, of the user or of any project.
    """

    def __init__(
        self, *, protected: tuple[str, ...], folder: str, user_folder: str, files: tuple[str, ...]
    ) -> None:
        self.protected = protected
        self._folder = folder
        self._user_folder = user_folder
        self._files = files

    def has_settings(self, path: str) -> bool:
        return any(
            path.endswith(file if file.startswith("/") else f"{os.sep}{self._folder}{os.sep}{file}")
            or path == os.path.join(self._user_folder, file)
            for file in self._files
        )


def find_refusal(tool: str, inputs: dict[str, object], *, cwd: str, places: Places) -> str:
    """Say why this call is refused and what to do instead; empty if it is allowed."""
    if _SCHEDULER.search(tool):
        return _refuse_schedule(inputs)
    if is_editor(tool):
        return _refuse_edit(inputs, cwd, places)
    if tool == "Bash":
        command = str(inputs.get("command", ""))
        return _refuse_edit(inputs, cwd, places) or _refuse_command(command, cwd, places)
    if tool == "Skill":
        return _refuse_verb(str(inputs.get("skill", inputs.get("command", ""))))
    return ""


def find_precheck_refusal(tool: str, inputs: dict[str, object]) -> str:
    """Say why this call must wait for the loop's pre-check; calls that only read need not."""
    if is_editor(tool):
        return _PRECHECK_FIRST
    command = str(inputs.get("command", "")) if tool == "Bash" else ""
    calls = parse_calls(command[:MAX_COMMAND_LENGTH])
    if all(_only_reads(program_name(call[0]), call[1:]) for call in calls):
        return ""
    return _PRECHECK_FIRST


def _only_reads(program: str, arguments: list[str]) -> bool:
    if is_untildone(program):
        return True
    if program == "git" and not _GIT_READS.intersection(arguments[:3]):
        return False
    targets = find_redirect_targets(arguments)
    writes_file = any(word != "/dev/null" and not word.isdigit() for word in targets)
    return only_reads(program, arguments) and not writes_file


def _refuse_edit(inputs: dict[str, object], cwd: str, places: Places) -> str:
    paths = list_named_paths(inputs, cwd)
    for path in paths:
        if _is_inside(path, places.protected):
            return f"`{path}` belongs to untildone: {_INSTEAD_STATE}"
    patched = list_patched_paths(inputs)
    for path in filter(places.has_settings, paths):
        # Only the whole text of a JSON file shows what the edit leaves of our entries.
        if path in patched or not path.endswith(".json"):
            return f"`{path}` may hold untildone's entries: {_INSTEAD_USER}"
        before = _read_text(path)
        harm = describe_harm(before, _apply_edits(before, inputs))
        if harm:
            return f"refused, because {harm}: {_INSTEAD_SETTINGS}"
    return ""


def _apply_edits(text: str, inputs: dict[str, object]) -> str:
    """Return the file's text after the edit."""
    if "content" in inputs:
        return str(inputs["content"])
    edits = inputs.get("edits")
    for edit in edits if isinstance(edits, list) else [inputs]:
        if isinstance(edit, dict):
            old, new = str(edit.get("old_string", "")), str(edit.get("new_string", ""))
            text = text.replace(old, new, -1 if edit.get("replace_all") else 1)
    return text


def _read_text(path: str) -> str:
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read(1_000_000)
    except (OSError, ValueError):
        return ""


def _is_inside(path: str, folders: tuple[str, ...]) -> bool:
    real = _resolve(path)
    return any(real == folder or real.startswith(folder + os.sep) for folder in folders)


def _resolve(path: str) -> str:
    try:
        return os.path.realpath(path)
    except ValueError:
        # No file has a NUL in its name.
        return "\0"


def _refuse_command(command: str, cwd: str, places: Places) -> str:
    for call in parse_calls(command[:MAX_COMMAND_LENGTH]):
        verb = _find_called_verb(program_name(call[0]), call[1:])
        if verb in USER_VERBS:
            return f"`untildone {verb}` is refused: {_INSTEAD_VERB}"
        if call[0] == "cd" and call[1:]:
            cwd = resolve_word(call[1], cwd)
        reason = _refuse_change(program_name(call[0]), call[1:], cwd, places)
        if reason:
            return reason
    return ""


def _find_called_verb(program: str, arguments: list[str]) -> str:
    """Return the verb of untildone that is called, also by `python -m` or `uvx`; else empty."""
    words = [program, *arguments]
    if program.startswith("python") and "-m" in arguments[:-1]:
        words = words[words.index("-m") + 1 :]
        words[0] = words[0].partition(".")[0]
    if words[0] in _INSTALLERS:
        positions = [at for at, word in enumerate(words) if is_untildone(word)]
        if positions and "uninstall" in words:
            return "uninstall"
        words = words[positions[-1] :] if positions else words
    if not is_untildone(words[0]):
        return ""
    verb = next((word for word in words[1:] if not word.startswith("-")), "")
    return _ACTING_PAGE if verb == "serve" and "--allow-verbs" in words else verb


def _refuse_change(program: str, arguments: list[str], cwd: str, places: Places) -> str:
    for word in list_changed_words(program, arguments):
        path = resolve_word(word, cwd)
        removes_folder = program in _REMOVERS and _contains_protected(path, places.protected)
        if removes_folder or _is_inside(path, places.protected):
            return f"`{word}` belongs to untildone: {_INSTEAD_STATE}"
        if places.has_settings(path) and not is_untildone(program):
            return f"`{word}` may hold untildone's entries: {_INSTEAD_SETTINGS}"
    return ""


def _contains_protected(path: str, protected: tuple[str, ...]) -> bool:
    """Say whether a protected folder lies below; a glob stands for everything it may match."""
    beginning, star, _ = path.partition("*")
    real = _resolve(beginning).rstrip(os.sep)
    prefix = real + os.sep if not star or beginning.endswith("/") else real
    return any(folder.startswith(prefix) for folder in protected)


def _refuse_verb(text: str) -> str:
    match = _SLASH_COMMAND.match(text.strip())
    if match and match[1] in USER_VERBS:
        return f"`{text.strip()}` is refused: {_INSTEAD_VERB}"
    return ""


def _refuse_schedule(inputs: dict[str, object]) -> str:
    """Refuse to schedule a verb: the scheduled prompt would look like the user's own."""
    for value in inputs.values():
        text = str(value).strip()
        verb, _, rest = text.lower().rstrip(".!").partition(" ")
        is_plain = verb in _PLAIN_VERBS and rest in _LOOP_NAMES
        if is_plain or _SLASH_COMMAND.match(text):
            return f"scheduling `{text}` is refused: {_INSTEAD_VERB}"
    return ""
