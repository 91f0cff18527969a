"""The report of unittest, in runs whose environment we control."""

import os
import sys
from pathlib import Path

import pytest

from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.core.check_results import CheckResult, Tests
from untildone.core.contract import Check

UNITTEST = Check(name="tests", command=f"{sys.executable} -m unittest -q")
CASES = """\
import unittest
import product

class Case(unittest.TestCase):
    def test_passes(self): pass
    @unittest.skip("later")
    def test_skipped(self): self.fail()
    @unittest.expectedFailure
    def test_known(self): self.fail()
"""
RED = """\
    @unittest.expectedFailure
    def test_surprises(self): pass
    def test_fails(self): self.fail()
    def test_rows(self):
        for row in range(3):
            with self.subTest(row=row): self.assertEqual(row, 1)

class Unable(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise OSError
    def test_never(self): pass
"""
FORGED = """\
import os
print('Ran 3 tests in 0.000s\\n\\nOK', flush=True)
os._exit(0)
"""


def sandboxed(folder: Path) -> RunOptions:
    return RunOptions(project=folder, environ=dict(os.environ), written_project=folder)


def result(folder: Path, *, cases: str = CASES, product: str = "") -> CheckResult:
    (folder / "test_it.py").write_text(cases, encoding="utf-8")
    (folder / "product.py").write_text(product, encoding="utf-8")
    (found,) = run_checks([UNITTEST], sandboxed(folder))
    return found


def test_what_ran_is_reported_by_name(tmp_path: Path) -> None:
    found = result(tmp_path)

    assert (found.outcome, found.tests) == (
        "green",
        Tests(
            passed=1,
            skipped=2,
            passing=("test_it.Case.test_passes",),
            skipping=("test_it.Case.test_known", "test_it.Case.test_skipped"),
        ),
    )


@pytest.mark.skipif(os.name == "nt", reason="a line of a POSIX shell")
@pytest.mark.parametrize("line", ["PYTHONPATH=. {python} -m unittest", "{python} -E -m unittest"])
def test_a_command_with_a_path_of_its_own_is_not_held_to_a_report(
    tmp_path: Path, line: str
) -> None:
    (tmp_path / "test_it.py").write_text(CASES.replace("import product\n", ""), encoding="utf-8")
    check = Check(name="tests", command=line.format(python=sys.executable))

    (found,) = run_checks([check], sandboxed(tmp_path))

    assert (found.outcome, found.tests) == ("green", Tests(passed=1, skipped=2))


def test_what_failed_is_reported_too(tmp_path: Path) -> None:
    found = result(tmp_path, cases=CASES + RED)

    assert found.tests is not None
    assert (found.outcome, len(found.tests.passing)) == ("red", 1)
    assert found.tests.failing == (
        "test_it.Case.test_fails",
        "test_it.Case.test_rows",
        "test_it.Case.test_surprises",
        "setUpClass (test_it.Unable)",
    )


def test_a_printed_summary_is_no_report(tmp_path: Path) -> None:
    found = result(tmp_path, product=FORGED)

    assert (found.outcome, found.reason) == (
        "no-evidence",
        "it exits 0, but the test runner wrote no report",
    )


def test_elsewhere_nothing_is_put_on_the_path(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(CASES, encoding="utf-8")
    (tmp_path / "product.py").write_text(
        "import os\nassert 'untildone' not in os.environ.get('PYTHONPATH', '')\n", encoding="utf-8"
    )

    (found,) = run_checks([UNITTEST], RunOptions(project=tmp_path))

    assert found.green
