"""Counts as criteria: which findings and failing tests count for a loop."""

from collections.abc import Sequence

from msgspec.structs import replace

from untildone.core.check_results import (
    SEVERITY_NOUNS,
    BaselineResult,
    CheckResult,
    Finding,
    Severity,
)
from untildone.core.contract import Contract, Count
from untildone.core.evidence import Evidence
from untildone.core.failure_changes import index_tests_by_name
from untildone.core.text import pluralize
from untildone.core.totals import count_totals

COUNTED_SEVERITIES: dict[Count, Severity] = {
    "zero-errors": "error",
    "zero-warnings": "warning",
    "zero-security": "security",
}
# In this preset the counts decide; an exit status that they explain does not.
DECIDING_PRESET = "fix"


def apply_counts(
    contract: Contract,
    results: tuple[CheckResult, ...],
    baseline: Sequence[CheckResult | BaselineResult] | None,
) -> tuple[CheckResult, ...]:
    """Return the results, green or red by what counts for this loop.

    A red exit status that nothing explains stays red, and so does a test that passed in the
    baseline.
    """
    if not contract.counts and not contract.targets:
        return results
    known = {result.name: result.tests for result in baseline or () if result.tests}
    failed = {name: tests.failing for name, tests in known.items()}
    judged = tuple(
        _apply_counts_to(contract, result, failed.get(result.name)) for result in results
    )
    if not _counts_only_errors(contract) or baseline is None:
        return judged
    ran = {name for name, tests in known.items() if tests.executed}
    return tuple(_accept_no_tests(result, judged, ran) for result in judged)


def _accept_no_tests(
    result: CheckResult, others: tuple[CheckResult, ...], ran: set[str]
) -> CheckResult:
    """Accept a run without tests where the baseline had none either and other checks ran."""
    no_tests = result.outcome == "no-evidence" and result.tests and not result.tests.executed
    others_ran = any(other.outcome in ("green", "red") for other in others)
    if not no_tests or result.name in ran or not others_ran:
        return result
    return replace(
        result, outcome="green", reason="not counted: no test was run, as in the baseline"
    )


def find_unmet_counts(contract: Contract, evidence: Evidence) -> tuple[Count, ...]:
    if not contract.counts or not evidence.checks:
        return ()
    found = count_totals(evidence.checks)
    left = {"zero-errors": found.errors, "zero-warnings": found.warnings}
    left |= {"zero-security": found.security, "tests-pass": found.failed}
    # Only when all checks have run is it certain that no test ran.
    if len(evidence.checks) >= len(contract.checks) and not found.passed + found.failed:
        left["tests-pass"] = 1
    return tuple(count for count in contract.counts if left[count])


def _apply_counts_to(
    contract: Contract, result: CheckResult, failed_in_baseline: tuple[str, ...] | None
) -> CheckResult:
    inside = tuple(finding for finding in result.findings if _is_in_target(contract, finding))
    outside = len(result.findings) - len(inside)
    named = index_tests_by_name(result.tests.failing) if result.tests else {}
    own = [finding for finding in inside if finding.code not in named]
    result = replace(result, findings=inside, finding_count=len(inside))
    if result.green:
        return _require_zero(contract, result, own)
    tests = result.tests.failed if result.tests else 0
    explained = outside or own or tests
    counting = any(_decides(contract, finding.severity) for finding in own)
    if result.outcome != "red" or not explained or counting:
        return result
    if tests and _do_tests_count(contract, result, failed_in_baseline):
        return result
    return replace(result, outcome="green", reason=_explain_green(own, tests, outside))


def _require_zero(contract: Contract, result: CheckResult, own: list[Finding]) -> CheckResult:
    """Turn a green result red whose findings must be zero: some tools report and still pass."""
    wanted = {COUNTED_SEVERITIES[count] for count in contract.counts if count in COUNTED_SEVERITIES}
    left = [finding for finding in own if finding.severity in wanted]
    if not left:
        return result
    return replace(result, outcome="red", reason=f"it passes, but reports {_list_severities(left)}")


def _decides(contract: Contract, severity: Severity) -> bool:
    if contract.preset != DECIDING_PRESET or severity == "security":
        return True
    return severity in (COUNTED_SEVERITIES.get(count) for count in contract.counts)


def _counts_only_errors(contract: Contract) -> bool:
    """Say whether failing tests count only if they passed in the baseline."""
    return contract.preset == DECIDING_PRESET and "tests-pass" not in contract.counts


def _do_tests_count(
    contract: Contract, result: CheckResult, failed_in_baseline: tuple[str, ...] | None
) -> bool:
    if not _counts_only_errors(contract):
        return True
    failing = result.tests.failing if result.tests else ()
    return (
        failed_in_baseline is None or not failing or not set(failing).issubset(failed_in_baseline)
    )


def _is_in_target(contract: Contract, finding: Finding) -> bool:
    """Say whether a finding is in a target; one without a path may concern any file."""
    return (
        not contract.targets
        or not finding.path
        or any(
            finding.path == target or finding.path.startswith(f"{target}/")
            for target in contract.targets
        )
    )


def _explain_green(own: list[Finding], tests: int, outside: int) -> str:
    parts = [_list_severities(own)] if own else []
    parts += [f"{pluralize(tests, 'test')} that failed before"] if tests else []
    parts += [f"{pluralize(outside, 'finding')} outside of the target"] if outside else []
    return f"not counted: {', '.join(parts)}"


def _list_severities(findings: Sequence[Finding]) -> str:
    found = [finding.severity for finding in findings]
    return ", ".join(
        pluralize(found.count(severity), noun)
        for severity, noun in SEVERITY_NOUNS.items()
        if severity in found
    )
