"""Judges a finished program: the result of its check, with findings and tests."""

from pathlib import Path

from msgspec import Struct

from untildone.checks import patterns, program_output
from untildone.checks.clean_output import cut_to_tail
from untildone.checks.exit_reasons import explain_exit, explain_unrunnable
from untildone.checks.findings import Diagnostic, make_findings
from untildone.checks.parser import Parser
from untildone.checks.parsers import PARSERS, find_parsers
from untildone.checks.run_report import RunReport
from untildone.checks.secret_redaction import remove_secrets
from untildone.commands.programs import find_programs, find_single_program
from untildone.core.check_results import CheckOutcome, CheckResult, Tests
from untildone.core.contract import Check
from untildone.core.time_limits import find_time_limit
from untildone.process.runner import Finished

# Report formats that any program may write.
_FORMATS = ("sarif", "junit", "tap")
OUTPUT_LIMIT = 8_000
# The exit status of pytest when it collects no test.
_NO_TESTS_COLLECTED = 5


class RunArtifacts(Struct, frozen=True, kw_only=True):
    """Files that a run wrote: the report of its tests, and its complete output.

    With `report_expected` an exit status of 0 without a report proves nothing.
    """

    report: RunReport | None = None
    report_expected: bool = False
    output: Path | None = None


_NO_ARTIFACTS = RunArtifacts()


def judge_result(
    check: Check,
    finished: Finished,
    *,
    project: Path | None = None,
    output_path: str = "",
    artifacts: RunArtifacts = _NO_ARTIFACTS,
) -> CheckResult:
    """Return the result of a check whose program has ended."""
    folder = program_output.RunFolder(project=project, folder=check.cwd)
    output = program_output.load_output(finished, folder=folder, file=artifacts.output)
    text = output.text
    parsers = _choose_parsers(check)
    tests = _choose_tests(check, program_output.parse_tests(output, parsers), artifacts)
    outcome, reason = _judge(check, finished, text=text, tests=tests)
    if outcome == "green" and artifacts.report_expected and artifacts.report is None:
        outcome, reason = "no-evidence", "it exits 0, but the test runner wrote no report"
    matched, timed_out = patterns.find_diagnostics(check, text) if check.pattern else ((), False)
    if outcome == "green" and timed_out:
        outcome, reason = "no-evidence", f"the pattern `{check.pattern}` took too long to search"
    # A pattern replaces the parsers that the program suggests, but not one that the check names.
    found: tuple[Diagnostic, ...] = ()
    if not check.pattern or check.parser:
        found = program_output.parse_diagnostics(output, parsers, red=outcome == "red")
    found = (*matched, *program_output.restore_cut_texts(found, artifacts.report, folder))
    found = found if outcome != "unrunnable" else ()
    return CheckResult(
        name=check.name,
        command=remove_secrets(check.command, environ={}),
        outcome=outcome,
        exit_code=finished.exit_code,
        seconds=round(finished.seconds, 3),
        reason=reason,
        findings=make_findings(check.name, found, folder=check.cwd, project=project),
        tests=tests,
        output=cut_to_tail(text, OUTPUT_LIMIT),
        output_path=output_path,
    )


def _choose_tests(check: Check, printed: Tests | None, artifacts: RunArtifacts) -> Tests | None:
    """Return the tests of the report, unless the output shows more.

    Of several runs in one command the report has only the last.
    """
    if artifacts.report is None:
        return printed
    tests = artifacts.report.tests
    program, *_ = find_single_program(check.command) or ("",)
    if program == "pytest" and tests.executed:
        # More in the output of a single pytest is a nested run: a test of a plugin started it.
        return tests
    return printed if printed and printed.executed > tests.executed else tests


def _choose_parsers(check: Check) -> tuple[Parser, ...]:
    """Return the parser that the check names, else those of its programs, else all of them."""
    if check.parser:
        return (PARSERS[check.parser],)
    chosen = tuple(find_parsers(find_programs(check.command)).values())
    if not chosen:
        return tuple(PARSERS.values())
    formats = (PARSERS[name] for name in _FORMATS)
    return (*chosen, *(parser for parser in formats if parser not in chosen))


def _judge(
    check: Check, finished: Finished, *, text: str, tests: Tests | None
) -> tuple[CheckOutcome, str]:
    if finished.interrupted:
        return "no-evidence", "interrupted before it ended"
    if finished.timed_out:
        return "timed-out", f"did not end within {find_time_limit(check.timeout, ()):g} seconds"
    # If tests ran, a missing program in their output is part of a test.
    tests_ran = tests and tests.executed
    if not tests_ran and (reason := explain_unrunnable(check.command, finished, output=text)):
        return "unrunnable", reason
    if reason := _explain_missing_tests(check, finished, tests):
        return "no-evidence", reason
    if reason := _explain_red(check, finished, text=text, tests=tests):
        return "red", reason
    return "green", ""


def _explain_missing_tests(check: Check, finished: Finished, tests: Tests | None) -> str:
    if tests and not tests.executed:
        return f"no test was run, {tests.skipped} skipped" if tests.skipped else "no test was run"
    silent_pytest = "pytest" in find_programs(check.command) and tests is None
    return "no test was run" if silent_pytest and finished.exit_code == _NO_TESTS_COLLECTED else ""


def _explain_red(check: Check, finished: Finished, *, text: str, tests: Tests | None) -> str:
    # `pytest; true` exits 0 although its tests fail.
    if tests and tests.failed:
        return f"{tests.failed} of {tests.executed} tests failed"
    return explain_exit(finished) if finished.exit_code != 0 else _match_patterns(check, text)


def _match_patterns(check: Check, text: str) -> str:
    """Return why the patterns make the check red; "" if they do not."""
    if check.success_pattern:
        found = patterns.search_success(check, text)
        if found is None:
            return f"the success pattern `{check.success_pattern}` was not found"
        if found.timed_out:
            return f"the success pattern `{check.success_pattern}` took too long to search"
    failure = patterns.search_failure(check, text) if check.failure_pattern else None
    if failure is None:
        return ""
    if failure.timed_out:
        return f"the failure pattern `{check.failure_pattern}` took too long to search"
    matched = cut_to_tail(failure.text, 200)
    return f"the failure pattern `{check.failure_pattern}` matched `{matched}`"
