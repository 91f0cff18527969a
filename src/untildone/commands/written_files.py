"""Files that a tool call of the agent may change: standard library only."""

import os
import re

from untildone.commands.shell import find_redirect_targets, parse_calls, program_name

_READERS = frozenset(
    re.findall(
        r"\S+",
        "awk bat cat cd cmp column cut diff du echo egrep file find git grep head jq less ls"
        " md5sum more nl od printf pwd readlink realpath rg sed sha256sum sort stat strings tail"
        " test tree true uniq wc xxd [ [[",
    )
)
_WRITING_OPTIONS = {"find": ("-delete", "-exec", "-execdir", "-ok"), "sed": ("-i", "--in-place")}
_EDITORS = frozenset(("Edit", "Write", "MultiEdit", "NotebookEdit"))
_FOREIGN_EDITOR = re.compile(r"(?i)^mcp__.*(?:write|edit|move|delete|remove|create|append)")
# Of a longer command only the beginning is read.
LONGEST = 100_000


def is_editor(tool: str) -> bool:
    return tool in _EDITORS or bool(_FOREIGN_EDITOR.match(tool))


def find_written_paths(tool: str, inputs: dict[str, object], cwd: str) -> list[str]:
    """Return the paths that a tool call may change."""
    if is_editor(tool):
        return list_named_paths(inputs, cwd)
    found: list[str] = []
    for call in parse_calls(str(inputs.get("command", ""))[:LONGEST]) if tool == "Bash" else ():
        if call[0] == "cd" and call[1:]:
            cwd = resolve_word(call[1], cwd)
        found += [
            resolve_word(word, cwd) for word in list_changed_words(program_name(call[0]), call[1:])
        ]
    return found


def list_named_paths(inputs: dict[str, object], cwd: str) -> list[str]:
    names = ("file_path", "notebook_path", "path", "source", "destination")
    return [os.path.join(cwd, str(inputs[key])) for key in names if inputs.get(key)]


def list_changed_words(program: str, arguments: list[str]) -> list[str]:
    """Return the words that may name a changed file; a reader writes only by redirection."""
    if only_reads(program, arguments):
        return find_redirect_targets(arguments)
    if program == "cp" and "-t" not in arguments:
        return [*arguments[-1:], *find_redirect_targets(arguments)]
    return [word for word in arguments if not word.startswith("-") or "=" in word]


def only_reads(program: str, arguments: list[str]) -> bool:
    return program in _READERS and not any(
        argument.startswith(_WRITING_OPTIONS.get(program, ("\0",))) for argument in arguments
    )


def resolve_word(word: str, cwd: str) -> str:
    """Return the path of a word, also of `of=FILE` and `--output=FILE`."""
    place = re.sub(r"^-*\w[\w-]*=", "", word)
    return os.path.join(cwd, os.path.expandvars(os.path.expanduser(place)))
