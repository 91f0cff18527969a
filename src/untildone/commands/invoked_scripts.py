"""From a command to the scripts it runs: shell scripts, makefiles, package scripts, git hooks."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import TypeAlias

from untildone.commands.globs import match_glob
from untildone.commands.makefiles import find_makefile, parse_makefile, read_makefile
from untildone.commands.package_scripts import (
    SCRIPT_GROUPS,
    find_package_file,
    parse_package_scripts,
    select_grouped_scripts,
    select_scripts,
)
from untildone.commands.programs import PACKAGE_MANAGERS
from untildone.commands.shell import SHELLS, parse_calls, program_name
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

# Shell text, and the file it stands in: empty for the command itself. The text of a script in
# another language is empty, since it is not followed.
Script: TypeAlias = tuple[str, str]

_INTERPRETERS = re.compile(r"python[\d.]*|pypy3?|node|bun|deno|ruby|perl|php|tsx|ts-node")
_SCRIPT_RUNNERS = SHELLS | {"source", "."}
# Other programs of the project may be what is checked.
_CHECK_NAME = re.compile(r"(?i)(^|[-_./])(check|gate|verif|lint|tests?|ci|hook|validat|assert|run)")
_TOOL_FOLDERS = frozenset(("ci", "scripts", "script", "tools", "hack"))
# These may also hold what is shipped.
_SCRIPT_FOLDERS = _TOOL_FOLDERS | {"bin", "build"}
_MAX_LENGTH = 100_000
# Names of checks, also of those that no loop runs.
_NAMED_CHECK = re.compile(r"(?i)test|lint|check|type|verify|cov|^ci$|^build$|audit|format")


def find_run_scripts(tree: Tree, command: str) -> tuple[Script, ...]:
    """Return the command itself and every script that it leads to."""
    return tree.fact(_follow_command, command)


def _follow_command(tree: Tree, command: str) -> tuple[Script, ...]:
    found: list[Script] = [(command, "")]
    seen = set(found)
    for text, path in found:
        calls = [_expand_loop_words(call, text) for call in parse_calls(text[:_MAX_LENGTH])]
        inner = (
            script
            for call in _drop_read_scripts(calls)
            for script in find_called_scripts(tree, call, path)
        )
        checking = (
            script
            for script in dict.fromkeys(inner)
            if not is_program_under_test(tree, script[1], path)
        )
        fresh = [script for script in checking if script not in seen]
        seen.update(fresh)
        found += fresh
    return tuple(found)


def _drop_read_scripts(calls: list[list[str]]) -> list[list[str]]:
    """Leave out the calls that `parse_calls` took from the arguments of `sh -n FILE`."""
    read = Counter(word for call in calls if _only_parses(call) for word in call[1:])
    found = []
    for call in calls:
        if read[call[0]] > 0:
            read[call[0]] -= 1
        else:
            found.append(call)
    return found


def is_program_under_test(tree: Tree, path: str, caller: str) -> bool:
    """Whether the script is what `caller` tests, not a part of the test.

    A test's own program is, and one whose output a script compares with an expected one.
    """
    *folders, name = path.split("/")
    is_check = _CHECK_NAME.search(name) or _TOOL_FOLDERS.intersection(folders)
    if not caller or classify_file(path) != "product" or is_check:
        return False
    return classify_file(caller) == "test" or _is_output_compared(path, tree.text(caller))


def _is_output_compared(path: str, text: str) -> bool:
    """`bin/stats data.csv > out.txt` and `diff expected.txt out.txt`, or `bin/stats | cmp - out`"""
    for found in re.finditer(rf"{re.escape(path)}\b([^\n;&|]*)(\|\s*(diff|cmp)\b)?", text):
        target = re.search(r">\s*([^\s&]+)", found[1])
        if found[2] or (target and re.search(rf"\b(diff|cmp)\b.*{re.escape(target[1])}", text)):
            return True
    return False


def _expand_loop_words(call: list[str], text: str) -> list[str]:
    """Replace the variable in `for each in a b; do sh "$each"` by the words of the loop."""
    words: list[str] = []
    for word in call:
        name = re.fullmatch(r"\$\{?(\w+)\}?", word)
        loop = re.search(rf"\bfor\s+{name[1]}\s+in\s+([^;\n$`]+)", text) if name else None
        words += loop[1].split() if loop else [word]
    return words


def find_called_scripts(tree: Tree, call: Sequence[str], caller: str = "") -> Iterator[Script]:
    """Yield the scripts that one call in the file `caller` runs."""
    program, arguments = program_name(call[0]), call[1:]
    if program in ("make", "gmake"):
        if path := find_makefile(tree, arguments):
            yield read_makefile(tree, path), path
    elif program in PACKAGE_MANAGERS or program in SCRIPT_GROUPS:
        path = find_package_file(call) if program in PACKAGE_MANAGERS else "package.json"
        select = select_scripts if program in PACKAGE_MANAGERS else select_grouped_scripts
        yield from ((text, path) for text in select(call, parse_package_scripts(tree.text(path))))
    elif program == "git" and "hook" in arguments:
        name = next((word for word in reversed(arguments) if not word.startswith("-")), "")
        hooks = (path for path in tree if path.rpartition("/")[2] == name)
        yield from ((tree.text(p), p) for p in hooks if is_shell_script(p, tree.text(p)))
    elif not _only_parses(call):
        yield from _find_script_files(tree, call, caller)


def _find_script_files(tree: Tree, call: Sequence[str], caller: str) -> Iterator[Script]:
    program = program_name(call[0])
    is_shell = program in _SCRIPT_RUNNERS
    words = call[1:] if is_shell or _INTERPRETERS.fullmatch(program) else call[:1]
    named = [word for word in words if not word.startswith("-")]
    if not is_shell or "*" not in "".join(named[:1]):
        named = named[:1]
    for path in (path for word in named for path in _locate(tree, word, caller)):
        text = tree.text(path)
        if is_shell or is_shell_script(path, text):
            yield text, path
        elif is_check_script(path) and classify_file(path) != "document":
            yield "", path


def _only_parses(call: Sequence[str]) -> bool:
    """`sh -n FILE` only looks whether the file could be run."""
    return program_name(call[0]) in _SCRIPT_RUNNERS and "-n" in call


def _locate(tree: Tree, word: str, caller: str) -> list[str]:
    """Return the files that a word names; `$here/lint.sh` is beside the caller or at the top."""
    if "*" in word:
        return match_glob(word, tree)
    last = re.sub(r"^(\./|\$\([^()]*\)/|\$\{?\w+\}?/)", "", word)
    beside = (PurePosixPath(caller).parent / last).as_posix()
    candidates = [last] if word == last or word.startswith("./") else [beside, last]
    return next(([path] for path in candidates if path in tree), [])


def is_shell_script(path: str, text: str) -> bool:
    first = text.partition("\n")[0]
    return path.endswith((".sh", ".bash")) or bool(re.match(r"#!.*\b(ba|da|k|z)?sh\b", first))


def is_check_script(path: str) -> bool:
    """Whether a program of the project checks others, by its name and folder."""
    *folders, name = path.split("/")
    hidden = any(part.startswith(".") for part in folders)
    return hidden or bool(_SCRIPT_FOLDERS.intersection(folders) or _CHECK_NAME.search(name))


def find_named_checks(tree: Tree) -> tuple[str, ...]:
    """Return the commands that run package scripts and make targets named like checks."""
    return tree.fact(_find_commands, "")


def _find_commands(tree: Tree, _path: str) -> tuple[str, ...]:
    scripts = parse_package_scripts(tree.text("package.json"))
    targets = parse_makefile(tree.text(find_makefile(tree))).targets
    named = (*(("npm run", name) for name in scripts), *(("make", name) for name in targets))
    return tuple(f"{runner} {name}" for runner, name in named if _NAMED_CHECK.search(name))
