"""The table of other tools' features: nothing in it is out of date, and its proof can fail."""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from bench.coming_from.table import PAGE, ROWS, TOP, Row, read_tools, render_page

KNOWN = read_tools(ROWS)
BY_NAME = {f"{tool}/{row.name}": row for tool, its in KNOWN.items() for row in its.row}
SOURCE = """\
ADDS = 1


def more(number: int) -> int:
    return number + ADDS
"""
TESTS = """\
import pytest
from untildone.counting import more


def test_more():
    assert more(2) == 3


@pytest.mark.parametrize("number", [3])
def test_red(number):
    assert more(number) == 3
"""
THREE_ROWS = """\
title = "Three"
about = "Of one file."

[[row]]
name = "seen"
theirs = "a"
ours = "b"
test = "tests/test_counting.py::test_more"
file = "counting.py"
old = "number + ADDS"
new = "number"

[[row]]
name = "blind"
theirs = "a"
ours = "b"
test = "tests/test_counting.py::test_more"
file = "counting.py"
old = "ADDS = 1"
new = "ADDS = True"

[[row]]
name = "broken"
theirs = "a"
ours = "b"
test = "tests/test_counting.py::test_red"
file = "counting.py"
old = "ADDS = 1"
new = "ADDS = 2"
"""


@cache
def functions(path: str) -> set[str]:
    tree = ast.parse(TOP.joinpath(path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_the_page_is_written_from_the_rows() -> None:
    assert PAGE.read_text(encoding="utf-8") == render_page(KNOWN)


def test_rows_have_names_of_their_own() -> None:
    assert len(BY_NAME) == sum(len(its.row) for its in KNOWN.values())


@pytest.mark.parametrize("row", BY_NAME.values(), ids=BY_NAME)
def test_the_test_of_a_row_exists_and_its_feature_can_be_switched_off(row: Row) -> None:
    path, _, name = row.test.partition("::")

    assert name in functions(path)
    assert ast.parse(row.switched_off(TOP))


# Programs are started one after another: a busy machine takes its time.
@pytest.mark.timeout(600)
def test_a_feature_whose_absence_no_test_notices_is_reported(tmp_path: Path) -> None:
    for name, text in {
        "rows/three.toml": THREE_ROWS,
        "repository/src/untildone/counting.py": SOURCE,
        "repository/tests/test_counting.py": TESTS,
    }.items():
        tmp_path.joinpath(name).parent.mkdir(parents=True)
        tmp_path.joinpath(name).write_text(text, encoding="utf-8")
    options = ("--rows", tmp_path / "rows", "--repository", tmp_path / "repository")

    done = subprocess.run(
        [sys.executable, "-m", "bench.coming_from", *options, "--jobs", "1"],
        cwd=TOP,
        capture_output=True,
        text=True,
        check=False,
    )

    lines = [re.sub(r"\d+ s", "1 s", line) for line in done.stdout.splitlines()]
    assert (done.returncode, lines) == (
        1,
        [
            "fails with every feature on: tests/test_counting.py::test_red",
            "1 tests pass with every feature on",
            "1/2 noticed     three/seen (1 s)",
            "2/2 NOT NOTICED three/blind (1 s): tests/test_counting.py::test_more exits 0",
            "1 of 3 features are noticed when they are gone",
        ],
    )
    assert tmp_path.joinpath("repository/src/untildone/counting.py").read_text() == SOURCE
