"""The table of faults names tests that are there, and tells what became of them."""

import ast
from collections.abc import Sequence
from pathlib import Path

import pytest

from faults.__main__ import judge_fault, row
from faults.queue_table import QUEUE_FAULTS
from faults.table import FAULTS, Fault

TESTS = Path(__file__).parents[1]
FAULT = Fault("X1", "it rains", "the tent holds", {"store/test_tent.py": ("dry", "warm")})


@pytest.mark.parametrize(("faults", "count"), [(FAULTS, 55), (QUEUE_FAULTS, 14)])
def test_every_fault_is_listed_once_and_has_tests(faults: Sequence[Fault], count: int) -> None:
    assert len({fault.id for fault in faults}) == len(faults) == count
    assert [fault.id for fault in faults if not fault.names] == []


def test_every_test_of_the_table_is_there() -> None:
    faults = (*FAULTS, *QUEUE_FAULTS)
    files = {file for fault in faults for file in fault.tests}
    known = {
        f"{file}::{node.name}"
        for file in files
        for node in ast.parse((TESTS / file).read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }

    assert sorted({name for fault in faults for name in fault.names} - known) == []


def report(name: str, outcome: str) -> pytest.TestReport:
    made = pytest.TestReport(
        nodeid=f"tests/{name}",
        location=(name, 1, name),
        keywords={},
        outcome="passed",
        longrepr=None,
        when="call",
    )
    made.outcome = outcome  # type: ignore[assignment]  # one of three words
    return made


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        (("passed", "passed"), (True, "so, in 2 tests")),
        (("passed", "skipped"), (True, "so, in 1 test, 1 not possible here")),
        (("skipped", "skipped"), (False, "so, in 0 tests, 2 not possible here")),
        (("passed", "failed"), (False, "NOT SO: tests/store/test_tent.py::test_warm")),
        (("passed",), (False, "NOT SO: store/test_tent.py::test_warm")),
    ],
)
def test_what_was_seen(outcomes: tuple[str, ...], expected: tuple[bool, str]) -> None:
    reports = {
        name: [report(name, outcome)] for name, outcome in zip(FAULT.names, outcomes, strict=False)
    }

    assert judge_fault(FAULT, reports) == expected


def test_a_row_is_as_high_as_its_longest_cell() -> None:
    long = "nothing that was there before is lost, and all of it is told"
    assert row(("A1", "it rains", long, "so")).splitlines() == [
        "A1   it rains                                      "
        "nothing that was there before is lost, and    so",
        "                                                   all of it is told",
    ]
