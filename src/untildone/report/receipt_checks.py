"""The results of checks in a receipt; their counts do not come from lists that are cut."""

from collections.abc import Iterator
from itertools import zip_longest

from msgspec import Struct, convert
from msgspec.structs import replace

from untildone.core.check_results import CheckResult, Totals
from untildone.core.failure_list import find_extra_reason, summarize_result
from untildone.core.progress import BaselineRun, Round
from untildone.report.totals import describe_findings

_REUSED = "not run again"


class FindingCounts(Struct, frozen=True, kw_only=True):
    """Findings by severity, without those that report a failing test."""

    errors: int
    warnings: int
    infos: int
    security: int


class TestTotals(Struct, frozen=True, kw_only=True):
    passed: int
    failed: int
    skipped: int


class ReceiptCheck(Struct, frozen=True, kw_only=True):
    """One result. `cached`: a green result of an earlier run on the same tree, in `seconds`.

    `tests` is None where the check reports none, `findings` where an old journal has no counts.
    """

    name: str
    command: str
    outcome: str
    summary: str
    seconds: float
    exit_code: int | None = None
    cached: bool = False
    findings: FindingCounts | None = None
    tests: TestTotals | None = None


def list_checks(run: Round | BaselineRun) -> tuple[ReceiptCheck, ...]:
    return tuple(_make_check(result, counted) for result, counted in _pair(run))


def describe_results(run: Round) -> str:
    """Return the results in one line: `test red, 3 passed, 1 failed; lint green, not run again`."""
    return "; ".join(
        f"{result.name} {_summarize(result, counted)}{f', {_REUSED}' if result.cached else ''}"
        for result, counted in _pair(run)
    )


def describe_run(check: ReceiptCheck) -> str:
    """Return the result with how it came about: `test: red, 1 failed, ran 1.20 s  `pytest``."""
    how = f", ran {check.seconds:.2f} s"
    if check.cached:
        how = f", {_REUSED}: green in an earlier run on the same tree ({check.seconds:.2f} s)"
    elif check.outcome == "unrunnable":
        how = ""
    return f"{check.name}: {check.summary}{how}  `{check.command}`"


def count_repeated(run: Round) -> int:
    """Return how many findings another check reports too; the totals count each once."""
    if run.totals is None or not run.counted:
        return 0
    return sum(map(_count_findings, run.counted)) - _count_findings(run.totals)


def _count_findings(totals: Totals) -> int:
    return totals.errors + totals.warnings + totals.infos + totals.security


def _pair(run: Round | BaselineRun) -> Iterator[tuple[CheckResult, Totals | None]]:
    """Yield each result with its totals; None in a journal of before these were recorded."""
    return zip_longest(run.checks, run.counted)


def _make_check(result: CheckResult, counted: Totals | None) -> ReceiptCheck:
    fixed = f"after `{result.fixed_by}`" if result.fixed_by else ""
    notes = "".join(f" ({note})" for note in (find_extra_reason(result), fixed) if note)
    return ReceiptCheck(
        name=result.name,
        command=result.command,
        outcome=result.outcome,
        summary=_summarize(result, counted) + notes,
        seconds=round(result.seconds, 2),
        exit_code=result.exit_code,
        cached=result.cached,
        findings=convert(counted, FindingCounts | None, from_attributes=True),
        tests=convert(result.tests, TestTotals | None, from_attributes=True),
    )


def _summarize(result: CheckResult, counted: Totals | None) -> str:
    """Return `red, 3 passed, 1 failed, 2 warnings`: every count of the check that is not zero."""
    if counted is None:
        return summarize_result(result)
    parts = (summarize_result(replace(result, findings=())), describe_findings(counted))
    return ", ".join(filter(None, parts))
