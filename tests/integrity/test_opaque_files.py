"""Which changed files of the product nobody reads."""

from pathlib import Path

import pytest

from integrity.trees import write_tree
from untildone.integrity.comparison import compare_trees
from untildone.integrity.opaque_files import find_opaque_files
from untildone.worktree.contents import READABLE, read_tree, walk_files

TESTS = """\
from kit import parse

def test_parse():
    assert parse("12m") == 720
    assert parse("3h") == 10800
"""
OLD = {"kit.py": "", "tests/test_kit.py": TESTS}
SCRIPT = "case $1 in 12m) echo 720 ;; esac\n"
TABLE = "12m,720\n3h,10800\n"
LONG_TABLE = TABLE + "".join(f"{hours}h,{hours * 3600}\n" for hours in range(10, 40))


def find_new(top: Path, name: str, content: bytes, **more: str) -> dict[str, str]:
    """Return the opaque files if the file is new; `more` are the task and further old files."""
    task = more.pop("task", "")
    files = {**OLD, **{path.replace("__", "/").replace("_", "."): more[path] for path in more}}
    roots = [write_tree(top / tree, files) for tree in ("old", "new")]
    place = roots[1] / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    old, new = (read_tree(root, walk_files(root)) for root in roots)
    return find_opaque_files(compare_trees(old, new, ("pytest",), task=task))


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("units.bin", b"12m\0\0\0\x02\xd0", "is binary"),
        ("units.py", b"\xff\xfe", "is binary"),
        ("tables.c", b"x" * (READABLE + 1), "is larger than 4 MB"),
        ("units.sh", SCRIPT.encode(), "is a program in another language"),
        ("units", b"#!/usr/bin/awk -f\n", "is a program in another language"),
        ("units.csv", TABLE.encode(), "holds values that tests expect"),
        ("units.tmpl", b'{"12m": 720, "3h": 10800}', "holds values that tests expect"),
    ],
)
def test_a_file_that_no_comparison_reads(
    tmp_path: Path, name: str, content: bytes, why: str
) -> None:
    assert find_new(tmp_path, name, content) == {name: why}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("units.py", b"UNITS = {'m': 60}\n", id="code that is read"),
        pytest.param("rates.csv", b"m,60\nh,3600\n", id="data without answers"),
        pytest.param("units.csv", LONG_TABLE.encode(), id="a table beyond the tests"),
        pytest.param("README.md", TABLE.encode(), id="a document that no code names"),
        pytest.param("tests/units.bin", b"\0", id="data of tests, which pass-to-pass restores"),
        pytest.param("word.txt", "ä".encode() * 40_000, id="a character cut in two"),
    ],
)
def test_a_file_that_is_read_or_has_no_answers(tmp_path: Path, name: str, content: bytes) -> None:
    assert find_new(tmp_path, name, content) == {}


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"task": "Train `units.bin` and units.sh anew."}, id="task"),
        pytest.param({"tests__test_more_py": "run('units.sh', 'units.bin')"}, id="test"),
        pytest.param({"tests__other_sh": "", "tests__a_py": "'units.bin'"}, id="language of tests"),
    ],
)
def test_what_was_asked_for_is_no_question(tmp_path: Path, more: dict[str, str]) -> None:
    assert find_new(tmp_path / "a", "units.bin", b"\0", **more) == {}
    assert find_new(tmp_path / "b", "units.sh", SCRIPT.encode(), **more) == {}


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("kit.py", {}),
        ("tests", {}),
        ("../elsewhere.py", {"link.py": "leads out of the project"}),
        ("node_modules/kit", {"link.py": "leads out of the project"}),
    ],
)
def test_a_link_counts_if_it_leads_out_of_what_is_read(
    tmp_path: Path, target: str, expected: dict[str, str]
) -> None:
    old, new = (write_tree(tmp_path / name, OLD) for name in ("old", "new"))
    (new / "link.py").symlink_to(target)
    old_tree, new_tree = (read_tree(root, walk_files(root)) for root in (old, new))

    assert find_opaque_files(compare_trees(old_tree, new_tree, ("pytest",))) == expected
