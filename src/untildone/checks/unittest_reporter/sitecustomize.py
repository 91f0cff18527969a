"""On the path of a run: reports the tests unittest ran, since what is printed can be forged."""

import os
import sys
from typing import Any
from xml.sax.saxutils import quoteattr

VARIABLE = "UNTILDONE_UNITTEST_REPORT"


def _watch(place: str) -> None:
    from unittest import TestResult
    from unittest.runner import TextTestRunner

    started: list[str] = []
    start, run = TestResult.startTest, TextTestRunner.run

    def starting(self: TestResult, test: Any) -> None:  # noqa: ANN401  any kind of test
        started.append(test.id())
        start(self, test)

    def running(self: Any, test: Any) -> Any:  # noqa: ANN401  as unittest has it
        result = run(self, test)
        _report(place, started, result)
        return result

    TestResult.startTest = starting  # type: ignore[method-assign]  # to see what is run
    TextTestRunner.run = running  # type: ignore[method-assign]  # to see what it came to


def _report(place: str, started: list[str], result: Any) -> None:  # noqa: ANN401  unittest's own
    failed = [test.id() for test, _ in (*result.failures, *result.errors)]
    failed += [test.id() for test in result.unexpectedSuccesses]
    passed_over = {test.id() for test, _ in (*result.skipped, *result.expectedFailures)}
    named = dict.fromkeys((*started, *(test for test in failed if not _below(test, started))))
    cases = []
    for name in named:
        red = any(_below(test, [name]) for test in failed)
        inner = "<failure/>" if red else "<skipped/>" if name in passed_over else ""
        # As a whole, so that it is called what unittest prints.
        cases.append(f"<testcase name={quoteattr(name)}>{inner}</testcase>")
    with open(place, "w", encoding="utf-8", errors="replace") as file:  # noqa: PTH123  few imports
        file.write(f"<testsuite>{''.join(cases)}</testsuite>")


def _below(test: str, names: list[str]) -> bool:
    """A subtest goes by the name of its test and its row."""
    return any(test == name or test.startswith(f"{name} ") for name in names)


if "unittest" in sys.orig_argv and VARIABLE in os.environ:
    # Taken away: the code that is tested has no business with it.
    _watch(os.environ.pop(VARIABLE))
