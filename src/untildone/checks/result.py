"""From a finished program to the result of its check."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from untildone.checks import patterns
from untildone.checks.command import programs
from untildone.checks.findings import Diagnostic, findings_of
from untildone.checks.inventory import Inventory
from untildone.checks.output import clean, tail_of
from untildone.checks.parser import Parser, total
from untildone.checks.parsers import LAST_RESORT, PARSERS
from untildone.checks.secrets import remove_secrets
from untildone.checks.unrunnable import why_ended, why_unrunnable
from untildone.loop.model import Check, CheckOutcome, CheckResult, Tests
from untildone.process import Finished

# Whatever the program is, it may have been asked for one of these.
_FORMATS = (PARSERS["sarif"], PARSERS["junit"], PARSERS["tap"])
OUTPUT_LIMIT = 8_000
_NO_TESTS_COLLECTED = 5


class Reported(Struct, frozen=True, kw_only=True):
    """What the run wrote where it was told; `possible` if its runner writes such reports."""

    inventory: Inventory | None = None
    possible: bool = False


_NOTHING = Reported()


def judge_result(
    check: Check,
    finished: Finished,
    *,
    project: Path | None = None,
    output_path: str = "",
    reported: Reported = _NOTHING,
) -> CheckResult:
    text = _relative(clean(finished.text, environ=os.environ), project, check.cwd)
    parsers = _parsers(check.command)
    tests = _tests(total(filter(None, (parser.tests(text) for parser in parsers))), reported)
    outcome, reason = _outcome(check, finished, text=text, tests=tests)
    if outcome == "green" and reported.possible and reported.inventory is None:
        outcome, reason = "no-evidence", "it exits 0, but the test runner wrote no report"
    found = () if outcome == "unrunnable" else _diagnostics(parsers, text, red=outcome == "red")
    return CheckResult(
        name=check.name,
        command=remove_secrets(check.command, environ={}),
        outcome=outcome,
        exit_code=finished.exit_code,
        seconds=round(finished.seconds, 3),
        reason=reason,
        findings=findings_of(check.name, found, folder=check.cwd),
        tests=tests,
        output=tail_of(text, OUTPUT_LIMIT),
        output_path=output_path,
    )


def _tests(printed: Tests | None, reported: Reported) -> Tests | None:
    """The report's counts; names as the person sees them in the output where it has them."""
    if reported.inventory is None:
        return printed
    tests = reported.inventory.tests
    return replace(tests, failing=printed.failing if printed else tests.failing)


def _relative(text: str, project: Path | None, folder: str) -> str:
    """Paths as seen from where the check ran: they must be the same in a copy of the project."""
    if project is None:
        return text
    here = project / folder
    # macOS reports /tmp as /private/tmp: tools print the one, people give the other.
    roots = {re.escape(f"{path}{os.sep}") for path in (here.absolute(), here.resolve())}
    return re.sub(rf"(?<![\w./-])(?:{'|'.join(sorted(roots, reverse=True))})", "", text)


def _parsers(command: str) -> tuple[Parser, ...]:
    """Those of the programs in the command; all of them if it names none, as `npm test` does."""
    named = programs(command)
    chosen = tuple(
        parser for parser in PARSERS.values() if any(name in parser.PROGRAMS for name in named)
    )
    formats = tuple(parser for parser in _FORMATS if parser not in chosen)
    return (*chosen, *formats) if chosen else tuple(PARSERS.values())


def _diagnostics(parsers: tuple[Parser, ...], text: str, *, red: bool) -> Iterator[Diagnostic]:
    found = False
    for parser in parsers:
        for diagnostic in parser.parse(text):
            found = True
            yield diagnostic
    # A log line of a program that passed may look just like a complaint.
    if red and not found:
        yield from LAST_RESORT.parse(text)


def _outcome(
    check: Check, finished: Finished, *, text: str, tests: Tests | None
) -> tuple[CheckOutcome, str]:
    if finished.interrupted:
        return "no-evidence", "interrupted before it ended"
    if finished.timed_out:
        return "timed-out", f"did not end within {check.timeout:g} seconds"
    # Output of tests that ran may speak of missing programs: that is their business.
    if not (tests and tests.executed) and (reason := _unrunnable(check, finished, text)):
        return "unrunnable", reason
    if reason := _without_evidence(check, finished, tests):
        return "no-evidence", reason
    if reason := _red(check, finished, text=text, tests=tests):
        return "red", reason
    return "green", ""


def _unrunnable(check: Check, finished: Finished, text: str) -> str:
    return why_unrunnable(check.command, finished, output=text)


def _without_evidence(check: Check, finished: Finished, tests: Tests | None) -> str:
    if tests and not tests.executed:
        return f"no test was run, {tests.skipped} skipped" if tests.skipped else "no test was run"
    of_pytest = "pytest" in programs(check.command) and tests is None
    return "no test was run" if of_pytest and finished.exit_code == _NO_TESTS_COLLECTED else ""


def _red(check: Check, finished: Finished, *, text: str, tests: Tests | None) -> str:
    if finished.exit_code != 0:
        return _counted(tests) or why_ended(finished)
    # `pytest; true` exits 0 whatever its report says.
    return _counted(tests) or _by_patterns(check, text)


def _counted(tests: Tests | None) -> str:
    return f"{tests.failed} of {tests.executed} tests failed" if tests and tests.failed else ""


def _by_patterns(check: Check, text: str) -> str:
    if check.success_pattern:
        found = patterns.success(check, text)
        if found is None:
            return f"the success pattern `{check.success_pattern}` was not found"
        if found.late:
            return f"the success pattern `{check.success_pattern}` took too long to search"
    failure = patterns.failure(check, text) if check.failure_pattern else None
    if failure is None:
        return ""
    if failure.late:
        return f"the failure pattern `{check.failure_pattern}` took too long to search"
    return f"the failure pattern `{check.failure_pattern}` matched `{tail_of(failure.text, 200)}`"
