"""The files that decide a check: the scripts it runs, and the records that these read."""

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from untildone.commands.invoked_scripts import find_run_scripts, is_check_script, is_shell_script
from untildone.integrity.scripts.covered_files import holds_tests
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

_RECORD_SUFFIXES = (".json", ".xml", ".yaml", ".yml", ".toml", ".ini", ".txt", ".csv", ".sarif")
_RECORD_NAME = re.compile(
    r"report|result|coverage|baseline|state|status|goal|loop|junit|threshold|budget|limit"
    r"|allow|ignore|expected|golden|snapshot|(^|/)\.",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"[\s;&|()<>\"'`=,]+")
_WORDS = re.compile(r"[\w./@+-]+")


def find_check_files(tree: Tree, commands: Iterable[str]) -> frozenset[str]:
    found: set[str] = set()
    for command in commands:
        found.update(_find_records(tree, command, ""))
        named = {word.removeprefix("./") for word in _SEPARATOR.split(command)}
        for _, path in find_run_scripts(tree, command):
            # A file of tests is compared test by test, though a command names it.
            is_test = classify_file(path) == "test" and holds_tests(path, tree.text(path))
            if path in found or not path or is_test:
                continue
            # A script that another one calls may be what is checked.
            if path in named or is_check_script(path) or not is_shell_script(path, tree.text(path)):
                found.add(path)
                found.update(_find_records(tree, tree.text(path), path))
    return frozenset(found)


def _find_records(tree: Tree, text: str, beside: str) -> Iterator[str]:
    """Yield the reports, states and baselines that a text names; other data is the product's."""
    folder = PurePosixPath(beside).parent
    for word in set(_WORDS.findall(text)):
        for path in (word.removeprefix("./"), (folder / word).as_posix()):
            if path in tree and path != beside and is_record(path):
                yield path


def is_record(path: str) -> bool:
    return path.endswith(_RECORD_SUFFIXES) and bool(_RECORD_NAME.search(path))
