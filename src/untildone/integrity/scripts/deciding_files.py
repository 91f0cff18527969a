"""The files whose content decides whether a check passes: scripts and data.

For the check `sh check.sh`, where `check.sh` contains the line

    jq -e .passed build/report.json

the deciding files are the script `check.sh` and the data `build/report.json`.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from untildone.commands.arguments import find_option_value
from untildone.commands.invoked_scripts import find_run_scripts, is_check_script, is_shell_script
from untildone.commands.programs import find_single_program
from untildone.commands.shell import is_untildone
from untildone.core.late_patterns import compile_late
from untildone.integrity.scripts.covered_files import contains_tests
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

_DATA_SUFFIXES = (".json", ".xml", ".yaml", ".yml", ".toml", ".ini", ".txt", ".csv", ".sarif")
_DATA_NAME = compile_late(
    r"report|result|coverage|baseline|state|status|goal|loop|junit|threshold|budget|limit"
    r"|allow|ignore|expected|golden|snapshot|(^|/)\.",
    re.IGNORECASE,
)
_PATH_WORD = compile_late(r"[\w./@+-]+")


def find_deciding_files(tree: Tree, commands: Sequence[str]) -> frozenset[str]:
    """Return the paths of the scripts and data files that decide the checks `commands`."""
    paths: set[str] = set()
    for command in commands:
        paths.update(_find_deciding_data(tree, command, folder=""))
        named_paths = set(list_path_words(command))
        for _, script in find_run_scripts(tree, command):
            # The path is empty for the command itself.
            if not script or script in paths:
                continue
            if _is_part_of_check(tree, script, is_named=script in named_paths):
                folder = PurePosixPath(script).parent.as_posix()
                paths.add(script)
                paths.update(_find_deciding_data(tree, tree.text(script), folder=folder))
    return frozenset(paths - find_judged_plans(commands))


def find_judged_plans(commands: Iterable[str]) -> frozenset[str]:
    """Return the plans that checks judge: `TASKS.json` for `untildone plan refine --plan …`.

    Such a file is the work itself and decides nothing.
    """
    programs = (find_single_program(command) for command in commands)
    return frozenset(
        posixpath.normpath(find_option_value(found[2], "--plan"))
        for found in programs
        if found and is_untildone(found[0]) and found[2][:1] == ["plan"]
    )


def is_deciding_data(path: str) -> bool:
    """Say whether a file that a check reads is likely to hold a verdict or a measure for it.

    Its name tells: `coverage.json`, `lint-baseline.txt`, `tests/expected.csv`. Other data, such as
    `prices.json`, is taken for input of the product.
    """
    return path.endswith(_DATA_SUFFIXES) and bool(_DATA_NAME.search(path))


def _is_part_of_check(tree: Tree, script: str, *, is_named: bool) -> bool:
    """Say whether a script that runs during a check decides it, and is not what it tests."""
    text = tree.text(script)
    if classify_file(script) == "test" and contains_tests(script, text):
        # `node tests/run.test.js`: `integrity/tests` compares such a file test by test.
        return False
    # A shell script that only another script calls may be the product under test, unless its name
    # says that it checks something: `bin/stats.sh` but not `scripts/lint.sh`.
    return is_named or is_check_script(script) or not is_shell_script(script, text)


def _find_deciding_data(tree: Tree, text: str, *, folder: str) -> Iterator[str]:
    """Yield the deciding data files that a text names, from the project's top or from `folder`."""
    for word in set(list_path_words(text)):
        for path in (word, (PurePosixPath(folder) / word).as_posix()):
            if path in tree and is_deciding_data(path):
                yield path


def list_path_words(text: str) -> list[str]:
    """Return the words of a shell text that may be paths, without a leading `./`."""
    return [word.removeprefix("./") for word in _PATH_WORD.findall(text)]
