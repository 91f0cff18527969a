"""Counts as criteria: which findings and failing tests of the checks a loop is about."""

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
# In this preset the counts decide and not an exit code that they explain.
DECIDING_PRESET = "fix"


def apply_counts(
    contract: Contract,
    results: tuple[CheckResult, ...],
    start: Sequence[CheckResult | BaselineResult] | None,
) -> tuple[CheckResult, ...]:
    """The results as this loop means them: green and red by what counts for it.

    A red exit code that nothing explains stays red, and so does a test that passed at the start.
    """
    if not contract.counts and not contract.targets:
        return results
    known = {each.name: each.tests for each in start or () if each.tests}
    failed = {name: tests.failing for name, tests in known.items()}
    judged = tuple(_counted(contract, result, failed.get(result.name)) for result in results)
    if not _only_errors(contract) or start is None:
        return judged
    ran = {name for name, tests in known.items() if tests.executed}
    return tuple(_without_tests(result, judged, ran) for result in judged)


def _without_tests(
    result: CheckResult, others: tuple[CheckResult, ...], ran: set[str]
) -> CheckResult:
    """Where no test ran at the start either, the other checks speak of errors alone."""
    silent = result.outcome == "no-evidence" and result.tests and not result.tests.executed
    spoken = any(each.outcome in ("green", "red") for each in others)
    if not silent or result.name in ran or not spoken:
        return result
    return replace(result, outcome="green", reason="not counted: no test was run, as at the start")


def find_unmet_counts(contract: Contract, evidence: Evidence) -> tuple[Count, ...]:
    if not contract.counts or not evidence.checks:
        return ()
    found = count_totals(evidence.checks)
    left = {"zero-errors": found.errors, "zero-warnings": found.warnings}
    left |= {"zero-security": found.security, "tests-pass": found.failed}
    # Only once all of them have run it is known that none of them ran a test.
    if len(evidence.checks) >= len(contract.checks) and not found.passed + found.failed:
        left["tests-pass"] = 1
    return tuple(count for count in contract.counts if left[count])


def _counted(
    contract: Contract, result: CheckResult, failed_at_start: tuple[str, ...] | None
) -> CheckResult:
    inside = tuple(each for each in result.findings if _targeted(contract, each))
    outside = len(result.findings) - len(inside)
    own = _beside_tests(result, inside)
    result = replace(result, findings=inside)
    if result.green:
        return _demanded(contract, result, own)
    tests = result.tests.failed if result.tests else 0
    explained = outside or own or tests
    counting = any(_decides(contract, each.severity) for each in own)
    if result.outcome != "red" or not explained or counting:
        return result
    if tests and _tests_count(contract, result, failed_at_start):
        return result
    return replace(result, outcome="green", reason=_set_aside(own, tests, outside))


def _demanded(contract: Contract, result: CheckResult, own: list[Finding]) -> CheckResult:
    """A tool may pass and report all the same."""
    wanted = {COUNTED_SEVERITIES[count] for count in contract.counts if count in COUNTED_SEVERITIES}
    left = [each for each in own if each.severity in wanted]
    if not left:
        return result
    return replace(result, outcome="red", reason=f"it passes, but reports {_in_words(left)}")


def _decides(contract: Contract, severity: Severity) -> bool:
    if contract.preset != DECIDING_PRESET or severity == "security":
        return True
    return severity in (COUNTED_SEVERITIES.get(count) for count in contract.counts)


def _only_errors(contract: Contract) -> bool:
    """Tests count only as far as they passed at the start."""
    return contract.preset == DECIDING_PRESET and "tests-pass" not in contract.counts


def _tests_count(
    contract: Contract, result: CheckResult, failed_at_start: tuple[str, ...] | None
) -> bool:
    if not _only_errors(contract):
        return True
    failing = result.tests.failing if result.tests else ()
    return failed_at_start is None or not failing or not set(failing).issubset(failed_at_start)


def _targeted(contract: Contract, finding: Finding) -> bool:
    """What names no file may be about any."""
    return (
        not contract.targets
        or not finding.path
        or any(
            finding.path == target or finding.path.startswith(f"{target}/")
            for target in contract.targets
        )
    )


def _beside_tests(result: CheckResult, findings: Sequence[Finding]) -> list[Finding]:
    named = index_tests_by_name(result.tests.failing) if result.tests else {}
    return [each for each in findings if each.code not in named]


def _set_aside(own: list[Finding], tests: int, outside: int) -> str:
    parts = [_in_words(own)] if own else []
    parts += [f"{pluralize(tests, 'test')} that failed before"] if tests else []
    parts += [f"{pluralize(outside, 'finding')} outside of the target"] if outside else []
    return f"not counted: {', '.join(parts)}"


def _in_words(findings: Sequence[Finding]) -> str:
    found = [each.severity for each in findings]
    return ", ".join(
        pluralize(found.count(severity), noun)
        for severity, noun in SEVERITY_NOUNS.items()
        if severity in found
    )
