"""Makes unittest write a JUnit report, because the tests can forge its output.

Python imports a module of this name at its start if the folder is on `PYTHONPATH`.
"""

import os
import sys
from typing import Any
from xml.sax.saxutils import quoteattr

VARIABLE = "UNTILDONE_UNITTEST_REPORT"


def _install(path: str) -> None:
    from unittest import TestResult
    from unittest.runner import TextTestRunner

    started: list[str] = []
    start, run = TestResult.startTest, TextTestRunner.run

    def record_start(self: TestResult, test: Any) -> None:  # noqa: ANN401  any kind of test
        started.append(test.id())
        start(self, test)

    def run_and_report(self: Any, test: Any) -> Any:  # noqa: ANN401  as unittest has it
        result = run(self, test)
        _write_report(path, started, result)
        return result

    TestResult.startTest = record_start  # type: ignore[method-assign]  # to record it
    TextTestRunner.run = run_and_report  # type: ignore[method-assign]  # to report it


def _write_report(path: str, started: list[str], result: Any) -> None:  # noqa: ANN401  untyped
    failed = [test.id() for test, _ in (*result.failures, *result.errors)]
    failed += [test.id() for test in result.unexpectedSuccesses]
    skipped = {test.id() for test, _ in (*result.skipped, *result.expectedFailures)}
    # A failed `setUpClass` never started.
    names = dict.fromkeys((*started, *(test for test in failed if not _belongs_to(test, started))))
    cases = []
    for name in names:
        red = any(_belongs_to(test, [name]) for test in failed)
        inner = "<failure/>" if red else "<skipped/>" if name in skipped else ""
        # Without a class name, so that the id is the one that unittest prints.
        cases.append(f"<testcase name={quoteattr(name)}>{inner}</testcase>")
    with open(path, "w", encoding="utf-8", errors="replace") as file:  # noqa: PTH123  few imports
        file.write(f"<testsuite>{''.join(cases)}</testsuite>")


def _belongs_to(test: str, names: list[str]) -> bool:
    """Say whether a test is one of these or a subtest, whose name begins with that of its test."""
    return any(test == name or test.startswith(f"{name} ") for name in names)


if "unittest" in sys.orig_argv and VARIABLE in os.environ:
    # Removed, so that the tested code does not see it.
    _install(os.environ.pop(VARIABLE))
