"""`make faults`: every test of the table in one run, then fault, expected and seen."""

import os
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest

from faults.table import FAULTS, Fault
from untildone.core.text import pluralize

TESTS = Path(__file__).parents[1]
WIDTHS = (3, 44, 44, 44)


class Seen:
    """What became of each test function, over all of its parameters."""

    def __init__(self) -> None:
        self.reports: dict[str, list[pytest.TestReport]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            name = report.nodeid.partition("[")[0].removeprefix("tests/")
            self.reports.setdefault(name, []).append(report)


def judge_fault(fault: Fault, reports: Mapping[str, list[pytest.TestReport]]) -> tuple[bool, str]:
    """Whether it is what was expected, and how that is known."""
    found = [report for name in fault.names for report in reports.get(name, ())]
    missing = [name for name in fault.names if name not in reports]
    failed = [report.nodeid for report in found if report.outcome == "failed"]
    if missing or failed:
        return False, f"NOT SO: {(failed or missing)[0]}"
    skipped = sum(report.outcome == "skipped" for report in found)
    left_out = f", {skipped} not possible here" if skipped else ""
    return skipped < len(found), f"so, in {pluralize(len(found) - skipped, 'test')}{left_out}"


def row(cells: Iterable[str]) -> str:
    columns = [textwrap.wrap(cell, width) for cell, width in zip(cells, WIDTHS, strict=True)]
    height = max(map(len, columns))
    filled = [column + [""] * (height - len(column)) for column in columns]
    lines = zip(*filled, strict=True)
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, WIDTHS, strict=True)).rstrip()
        for line in lines
    )


def main(arguments: list[str], faults: Sequence[Fault] = FAULTS) -> int:
    """The table's tests; the exit code tells whether each fault was answered as expected."""
    os.chdir(TESTS.parent)
    heard = Seen()
    names = sorted({name for fault in faults for name in fault.names})
    pytest.main([*arguments, "-q", *(f"tests/{name}" for name in names)], plugins=[heard])
    reported = [(fault, *judge_fault(fault, heard.reports)) for fault in faults]
    table = [("", "fault", "expected", "seen")]
    table += [(fault.id, fault.what, fault.expected, text) for fault, _, text in reported]
    sys.stdout.write("\n" + "\n".join(map(row, table)) + "\n")
    held = sum(holds for _, holds, _ in reported)
    sys.stdout.write(f"\n{held} of {len(faults)} as expected\n")
    return int(held < len(faults))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
