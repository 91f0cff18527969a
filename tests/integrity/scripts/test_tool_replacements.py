"""A tool of a check may be replaced if the task names both and the new one checks as much."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from untildone.integrity.comparison import Comparison
from untildone.integrity.scripts.comparison import find_concerns, only_replaces_tool

TASK = "Replace flake8 and black by ruff, and unittest by pytest."
OLD = """\
set -e
flake8 .
black --check .
python -m unittest
"""
NEW = """\
set -e
ruff check .
ruff format --check .
python -m pytest -q
"""
CODE = {"src/a.py": "x = 1\n", "tests/test_a.py": "x = 1\n"}


def comparison(top: Path, new: str, task: str = TASK, path: str = "check.sh") -> Comparison:
    return compare_projects(top, {**CODE, path: OLD}, {**CODE, path: new}, f"sh {path}", task=task)


def find_ids(compared: Comparison) -> list[str]:
    return [concern.id.partition("#")[0].rpartition(":")[2] for concern in find_concerns(compared)]


def test_a_tool_may_be_replaced_by_one_that_the_task_names(tmp_path: Path) -> None:
    compared = comparison(tmp_path, NEW)
    assert (find_ids(compared), only_replaces_tool(compared, "check.sh")) == ([], True)


@pytest.mark.parametrize(
    ("task", "new", "expected"),
    [
        ("Make check.sh pass.", NEW, ["flake8", "black", "unittest"]),
        ("Make ruff and pytest pass.", NEW, ["flake8", "black", "unittest"]),
        ("flake8, black and ruff must pass.", NEW, ["flake8", "black", "unittest"]),
        (TASK, NEW.replace("ruff check .", "ruff check src"), ["flake8"]),
        (TASK, NEW.replace("ruff check .", "ruff check --exit-zero ."), ["flake8"]),
        (TASK, NEW.replace("ruff check .", "ruff check . || true"), ["flake8"]),
        (TASK, NEW.replace("ruff check .", "ruff check . --select F"), ["flake8"]),
        (TASK, NEW.replace("ruff check .\n", ""), ["flake8"]),
        (TASK, NEW.replace("--check .", "."), ["black"]),
        (TASK, NEW.replace("-q", "-q -k fast"), ["unittest"]),
        (TASK, NEW.replace("-q", "tests/test_a.py"), ["unittest"]),
    ],
)
def test_a_replacement_that_checks_less_is_a_concern(
    tmp_path: Path, task: str, new: str, expected: list[str]
) -> None:
    compared = comparison(tmp_path, new, task)
    assert (find_ids(compared), only_replaces_tool(compared, "check.sh")) == (expected, False)


@pytest.mark.parametrize(("gone", "left"), [("flake8", "ruff check"), ("unittest", "pytest")])
def test_a_tool_that_ran_beside_it_is_no_replacement(tmp_path: Path, gone: str, left: str) -> None:
    old, new = {"check.sh": f"set -e\n{gone}\n{left}\n"}, {"check.sh": f"set -e\n{left}\n"}
    assert find_ids(compare_projects(tmp_path, old, new, "sh check.sh", task=TASK)) == [gone]


def test_a_script_with_the_same_calls_replaces_no_tool(tmp_path: Path) -> None:
    assert not only_replaces_tool(comparison(tmp_path, OLD + "echo done\n"), "check.sh")


@pytest.mark.parametrize(
    ("run", "expected"), [("ruff check .", []), ("ruff check src", ["flake8"])]
)
def test_a_step_of_a_workflow_may_be_replaced_too(
    tmp_path: Path, run: str, expected: list[str]
) -> None:
    path = ".github/workflows/ci.yml"
    text = "on: push\njobs: {{a: {{steps: [{{run: {}}}]}}}}\n"
    old, new = {path: text.format("flake8 .")}, {path: text.format(run)}
    assert (
        find_ids(compare_projects(tmp_path, {**CODE, **old}, {**CODE, **new}, task=TASK))
        == expected
    )
