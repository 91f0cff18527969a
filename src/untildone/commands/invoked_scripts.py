"""Which scripts a command runs: shell scripts, makefiles, package scripts, git hooks.

`sh ci/check.sh` runs `ci/check.sh`; if that says `make lint`, it also runs the makefile.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

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
from untildone.core.late_patterns import compile_late
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

_INTERPRETERS = compile_late(r"python[\d.]*|pypy3?|node|bun|deno|ruby|perl|php|tsx|ts-node")
_SCRIPT_RUNNERS = SHELLS | {"source", "."}
# A program of the project with another name may be what is tested, not what tests.
_CHECK_NAME = compile_late(
    r"(?i)(^|[-_./])(check|gate|verif|lint|tests?|ci|hook|validat|assert|run)"
)
_TOOL_FOLDERS = frozenset(("ci", "scripts", "script", "tools", "hack"))
# `bin` and `build` may also hold what is shipped.
_SCRIPT_FOLDERS = _TOOL_FOLDERS | {"bin", "build"}
_MAX_LENGTH = 100_000
# Names of package scripts and make targets that are checks, whether a loop runs them or not.
_NAMED_CHECK = compile_late(r"(?i)test|lint|check|type|verify|cov|^ci$|^build$|audit|format")


class Script(NamedTuple):
    # Empty for a script in another language than that of the shell, which is not followed.
    text: str
    # Empty for the command itself.
    path: str


def find_run_scripts(tree: Tree, command: str) -> tuple[Script, ...]:
    """Return the command itself and every script that it leads to."""
    return tree.fact(_follow_command, command)


def _follow_command(tree: Tree, command: str) -> tuple[Script, ...]:
    found = [Script(command, "")]
    seen = set(found)
    for text, path in found:
        calls = [_expand_loop_words(call, text) for call in parse_calls(text[:_MAX_LENGTH])]
        for call in _drop_parsed_scripts(calls):
            for script in find_called_scripts(tree, call, path):
                if script not in seen and not is_program_under_test(tree, script.path, path):
                    seen.add(script)
                    found.append(script)
    return tuple(found)


def _drop_parsed_scripts(calls: list[list[str]]) -> list[list[str]]:
    """Leave out the calls that `parse_calls` took from the arguments of `sh -n FILE`."""
    parsed_words = Counter(word for call in calls if _only_parses(call) for word in call[1:])
    kept = []
    for call in calls:
        if parsed_words[call[0]] > 0:
            parsed_words[call[0]] -= 1
        else:
            kept.append(call)
    return kept


def is_program_under_test(tree: Tree, path: str, caller: str) -> bool:
    """Say whether the script at `path` is what the file `caller` tests, not a part of the test.

    That is the case if `caller` is a test, or compares the output of the script.
    """
    *folders, name = path.split("/")
    is_check = _CHECK_NAME.search(name) or _TOOL_FOLDERS.intersection(folders)
    if not caller or classify_file(path) != "product" or is_check:
        return False
    return classify_file(caller) == "test" or _is_output_compared(path, tree.text(caller))


def _is_output_compared(path: str, text: str) -> bool:
    """Say whether the text compares the output of the program at `path` with a file.

    `bin/stats a.csv > out.txt` and `diff expected.txt out.txt`, or `bin/stats a.csv | cmp - out`
    """
    uses = rf"{re.escape(path)}\b(?P<arguments>[^\n;&|]*)(?P<pipe>\|\s*(diff|cmp)\b)?"
    for use in re.finditer(uses, text):
        output = re.search(r">\s*([^\s&]+)", use["arguments"])
        if use["pipe"] or (output and re.search(rf"\b(diff|cmp)\b.*{re.escape(output[1])}", text)):
            return True
    return False


def _expand_loop_words(call: list[str], text: str) -> list[str]:
    """Replace the variable in `for file in a b; do sh "$file"` by the words of the loop."""
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
            yield Script(read_makefile(tree, path), path)
    elif program in PACKAGE_MANAGERS or program in SCRIPT_GROUPS:
        path = find_package_file(call) if program in PACKAGE_MANAGERS else "package.json"
        select = select_scripts if program in PACKAGE_MANAGERS else select_grouped_scripts
        scripts = parse_package_scripts(tree.text(path))
        yield from (Script(text, path) for text in select(call, scripts))
    elif program == "git" and "hook" in arguments:
        # git hook run pre-commit
        name = next((word for word in reversed(arguments) if not word.startswith("-")), "")
        hooks = (Script(tree.text(p), p) for p in tree if p.rpartition("/")[2] == name)
        yield from (hook for hook in hooks if is_shell_script(hook.path, hook.text))
    elif not _only_parses(call):
        yield from _find_script_files(tree, call, caller)


def _find_script_files(tree: Tree, call: Sequence[str], caller: str) -> Iterator[Script]:
    """Yield the files of the project that a call runs: `sh ci/a.sh`, `node ci/a.js`, `ci/a.sh`."""
    program = program_name(call[0])
    is_shell = program in _SCRIPT_RUNNERS
    words = call[1:] if is_shell or _INTERPRETERS.fullmatch(program) else call[:1]
    names = [word for word in words if not word.startswith("-")]
    if not is_shell or "*" not in "".join(names[:1]):
        # The others are arguments of the script; not so in `. ci/*.sh lib/*.sh`.
        names = names[:1]
    for path in (path for name in names for path in _locate(tree, name, caller)):
        text = tree.text(path)
        if is_shell or is_shell_script(path, text):
            yield Script(text, path)
        elif is_check_script(path) and classify_file(path) != "document":
            yield Script("", path)


def _only_parses(call: Sequence[str]) -> bool:
    """Say whether a shell only checks the syntax of the script, as `sh -n FILE` does."""
    return program_name(call[0]) in _SCRIPT_RUNNERS and "-n" in call


def _locate(tree: Tree, word: str, caller: str) -> list[str]:
    """Return the files that a word names; `$here/lint.sh` is beside the caller or at the top."""
    if "*" in word:
        return match_glob(word, tree)
    # ./lint.sh, $(dirname "$0")/lint.sh, ${here}/lint.sh
    path = re.sub(r"^(\./|\$\([^()]*\)/|\$\{?\w+\}?/)", "", word)
    beside_caller = (PurePosixPath(caller).parent / path).as_posix()
    candidates = [path] if word == path or word.startswith("./") else [beside_caller, path]
    return next(([path] for path in candidates if path in tree), [])


def is_shell_script(path: str, text: str) -> bool:
    """Say whether a file is for a shell, by its suffix or its `#!` line."""
    return path.endswith((".sh", ".bash")) or bool(re.match(r"#!.*\b(ba|da|k|z)?sh\b", text))


def is_check_script(path: str) -> bool:
    """Say whether a program of the project checks others, by its name and folder."""
    *folders, name = path.split("/")
    is_hidden = any(folder.startswith(".") for folder in folders)
    return is_hidden or bool(_SCRIPT_FOLDERS.intersection(folders) or _CHECK_NAME.search(name))


def find_named_checks(tree: Tree) -> tuple[str, ...]:
    """Return `npm run NAME` and `make NAME` for the scripts and targets named like checks."""
    return tree.fact(_find_named_checks, "")


def _find_named_checks(tree: Tree, _path: str) -> tuple[str, ...]:
    scripts = parse_package_scripts(tree.text("package.json"))
    targets = parse_makefile(tree.text(find_makefile(tree))).targets
    named = (*(("npm run", name) for name in scripts), *(("make", name) for name in targets))
    return tuple(f"{runner} {name}" for runner, name in named if _NAMED_CHECK.search(name))
