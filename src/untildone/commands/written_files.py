"""Which files a tool call of the agent may change: standard library only, for the hooks.

`Edit` with `file_path: a.py` changes `a.py`; `Bash` with `cd src && sed -i s/a/b/ a.py` may change
`src/s/a/b/` and `src/a.py`: every word of a program that writes may name a file.
"""

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
# Options with which a reader writes files or runs other programs.
_WRITING_OPTIONS = {
    "awk": ("-i", "--include"),
    "find": ("-delete", "-exec", "-fls", "-fprint", "-ok"),
    "sed": ("-i", "--in-place"),
    "sort": ("-o", "--output"),
    "tree": ("-o",),
}
_AWK_PRINTS = re.compile(r'>>?\s*"/dev/(stdout|stderr|null)"')
_AWK_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
# print > "f", print | "sh", "date" | getline, system("rm f"); strings are empty here, and
# `$1 > 5` or `a || b` only compare.
_AWK_WRITES = re.compile(r"\bprintf?\b[^;}\n]*?(>|(?<!\|)\|(?!\|))|\|&?\s*getline|\bsystem\s*\(")
_EDITORS = frozenset(("Edit", "Write", "MultiEdit", "NotebookEdit"))
_FOREIGN_EDITOR = re.compile(r"(?i)^mcp__.*(?:write|edit|move|delete|remove|create|append)")
# Of a longer command only the beginning is read.
MAX_COMMAND_LENGTH = 100_000


def is_editor(tool: str) -> bool:
    """Say whether the tool changes the files that its inputs name, as `Edit` does."""
    return tool in _EDITORS or bool(_FOREIGN_EDITOR.match(tool))


def find_written_paths(tool: str, inputs: dict[str, object], cwd: str) -> list[str]:
    """Return the paths that a tool call may change."""
    if is_editor(tool):
        return list_named_paths(inputs, cwd)
    found = list_named_paths(inputs, cwd) if tool == "Bash" else []
    command = str(inputs.get("command", ""))[:MAX_COMMAND_LENGTH] if tool == "Bash" else ""
    for program, *arguments in parse_calls(command):
        if program == "cd" and arguments:
            cwd = resolve_word(arguments[0], cwd)
        changed = list_changed_words(program_name(program), arguments)
        found += [resolve_word(word, cwd) for word in changed]
    return found


def list_named_paths(inputs: dict[str, object], cwd: str) -> list[str]:
    """Return the paths that the inputs of an editing tool name, or of a shell given a patch."""
    names = ("file_path", "notebook_path", "path", "source", "destination")
    paths = [inputs[key] for key in names if inputs.get(key)]
    several = list_patched_paths(inputs)
    return [os.path.join(cwd, str(path)) for path in dict.fromkeys((*paths, *several))]


def list_patched_paths(inputs: dict[str, object]) -> list[str]:
    """Return the files of a patch, which `Hooks.translate` has found in the call."""
    paths = inputs.get("file_paths")
    return [str(path) for path in paths] if isinstance(paths, list) else []


def list_changed_words(program: str, arguments: list[str]) -> list[str]:
    """Return the words of a call that may name a changed file; a reader writes by redirection."""
    if only_reads(program, arguments):
        return find_redirect_targets(arguments)
    if program == "cp" and "-t" not in arguments:
        return [*arguments[-1:], *find_redirect_targets(arguments)]
    words = [word for word in arguments if not word.startswith("-") or "=" in word]
    if program == "awk":
        # Strings in its program may name the file: '{print > "f"}', 'END {system("rm f")}'
        strings = [text for word in words for text in _AWK_STRING.findall(word)]
        words += " ".join(strings).split()
    return words


def only_reads(program: str, arguments: list[str]) -> bool:
    """Say whether a call writes nothing, redirections aside."""
    if program == "awk" and is_writing_awk(arguments):
        return False
    return program in _READERS and not any(
        argument.startswith(_WRITING_OPTIONS.get(program, ("\0",))) for argument in arguments
    )


def is_writing_awk(arguments: list[str]) -> bool:
    """Say whether a program in the arguments of awk writes a file or runs a command."""
    texts = (_AWK_PRINTS.sub("", argument) for argument in arguments)
    return any(_AWK_WRITES.search(_AWK_STRING.sub('""', text)) for text in texts)


def resolve_word(word: str, cwd: str) -> str:
    """Return the path of a word, also of `of=FILE` and `--output=FILE`."""
    place = re.sub(r"^-*\w[\w-]*=", "", word)
    return os.path.join(cwd, os.path.expandvars(os.path.expanduser(place)))
