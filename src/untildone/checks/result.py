"""From a finished program to the result of its check."""

from pathlib import Path

from msgspec import Struct

from untildone.checks import patterns
from untildone.checks.findings import findings_of
from untildone.checks.inventory import Inventory
from untildone.checks.output import tail_of
from untildone.checks.parser import Parser
from untildone.checks.parsers import PARSERS
from untildone.checks.reading import Place, diagnostics_in, printed, tests_in, uncut
from untildone.checks.secrets import remove_secrets
from untildone.checks.unrunnable import why_ended, why_unrunnable
from untildone.commands.programs import find_programs, find_single_program
from untildone.core.check_results import CheckOutcome, CheckResult, Tests
from untildone.core.contract import Check
from untildone.process import Finished

# Whatever the program is, it may have been asked for one of these.
_FORMATS = (PARSERS["sarif"], PARSERS["junit"], PARSERS["tap"])
OUTPUT_LIMIT = 8_000
_NO_TESTS_COLLECTED = 5


class Reported(Struct, frozen=True, kw_only=True):
    """What the run left in files: its tests, and all that it printed.

    `expected` if without a report of its tests it proves nothing.
    """

    inventory: Inventory | None = None
    expected: bool = False
    output: Path | None = None


_NOTHING = Reported()


def judge_result(
    check: Check,
    finished: Finished,
    *,
    project: Path | None = None,
    output_path: str = "",
    reported: Reported = _NOTHING,
) -> CheckResult:
    place = Place(project=project, folder=check.cwd)
    output = printed(finished, place=place, whole=reported.output)
    text = output.text
    parsers = _parsers(check)
    tests = _tests(check, tests_in(output, parsers), reported)
    outcome, reason = _outcome(check, finished, text=text, tests=tests)
    if outcome == "green" and reported.expected and reported.inventory is None:
        outcome, reason = "no-evidence", "it exits 0, but the test runner wrote no report"
    own, late = patterns.findings(check, text) if check.pattern else ((), False)
    if outcome == "green" and late:
        outcome, reason = "no-evidence", f"the pattern `{check.pattern}` took too long to search"
    # A pattern alone says which lines are findings; beside a named parser it adds to its own.
    read = not check.pattern or check.parser
    found = diagnostics_in(output, parsers, red=outcome == "red") if read else ()
    found = uncut(found, reported.inventory, place)
    return CheckResult(
        name=check.name,
        command=remove_secrets(check.command, environ={}),
        outcome=outcome,
        exit_code=finished.exit_code,
        seconds=round(finished.seconds, 3),
        reason=reason,
        findings=()
        if outcome == "unrunnable"
        else findings_of(check.name, (*own, *found), folder=check.cwd, project=project),
        tests=tests,
        output=tail_of(text, OUTPUT_LIMIT),
        output_path=output_path,
    )


def _tests(check: Check, told: Tests | None, reported: Reported) -> Tests | None:
    """Those of the report, unless more were run than it has: of several runs it tells the last."""
    if reported.inventory is None:
        return told
    tests = reported.inventory.tests
    alone = find_single_program(check.command)
    if alone and alone[0] == "pytest" and tests.executed:
        # What else is printed there is a run that a test of a plugin began itself.
        return tests
    return told if told and told.executed > tests.executed else tests


def _parsers(check: Check) -> tuple[Parser, ...]:
    """The one it names, else those of the programs in the command; all if it names none."""
    if check.parser:
        return (PARSERS[check.parser],)
    named = find_programs(check.command)
    chosen = tuple(
        parser for parser in PARSERS.values() if any(name in parser.PROGRAMS for name in named)
    )
    formats = tuple(parser for parser in _FORMATS if parser not in chosen)
    return (*chosen, *formats) if chosen else tuple(PARSERS.values())


def _outcome(
    check: Check, finished: Finished, *, text: str, tests: Tests | None
) -> tuple[CheckOutcome, str]:
    if finished.interrupted:
        return "no-evidence", "interrupted before it ended"
    if finished.timed_out:
        return "timed-out", f"did not end within {check.timeout:g} seconds"
    # Output of tests that ran may speak of missing programs: that is their business.
    ran = tests and tests.executed
    if not ran and (reason := why_unrunnable(check.command, finished, output=text)):
        return "unrunnable", reason
    if reason := _without_evidence(check, finished, tests):
        return "no-evidence", reason
    if reason := _red(check, finished, text=text, tests=tests):
        return "red", reason
    return "green", ""


def _without_evidence(check: Check, finished: Finished, tests: Tests | None) -> str:
    if tests and not tests.executed:
        return f"no test was run, {tests.skipped} skipped" if tests.skipped else "no test was run"
    of_pytest = "pytest" in find_programs(check.command) and tests is None
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
