"""Totals: findings by severity and by file, tests by outcome; each failure counts once."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter

from untildone.core.check_results import CheckResult, FileTotals, Finding, Severity, Totals
from untildone.core.failure_changes import count_repeated_tests, find_test, index_tests_by_name

MAX_WORST_FILES = 20
_PLACE = attrgetter("path", "severity")


def count_totals(results: Iterable[CheckResult]) -> Totals:
    results = tuple(results)
    found = Counter(finding.severity for finding in _iterate_findings(results))
    tests = [result.tests for result in results if result.tests]
    return Totals(
        **name_severity_counts(found),
        passed=sum(report.passed for report in tests),
        failed=sum(report.failed for report in tests) - count_repeated_tests(results),
        skipped=sum(report.skipped for report in tests),
    )


def find_worst_files(results: Iterable[CheckResult]) -> tuple[FileTotals, ...]:
    """Return the files with the most findings, the worst first."""
    found: dict[str, Counter[Severity]] = {}
    for (path, severity), count in Counter(map(_PLACE, _iterate_findings(results))).items():
        if path:
            found.setdefault(path, Counter())[severity] = count
    worst = sorted(found, key=lambda path: (-found[path].total(), path))[:MAX_WORST_FILES]
    return tuple(FileTotals(path=path, **name_severity_counts(found[path])) for path in worst)


def _iterate_findings(results: Iterable[CheckResult]) -> Iterator[Finding]:
    """Yield each finding once, without those that report a failing test."""
    results = tuple(results)
    alone = sum(bool(result.findings) for result in results) <= 1
    is_first = make_duplicate_filter()
    for result in results:
        named = index_tests_by_name(result.tests.failing) if result.tests else {}
        for finding in result.findings:
            if not find_test(finding, named) and (alone or is_first(result.name, finding)):
                yield finding


def make_duplicate_filter() -> Callable[[str, Finding], bool]:
    """Return a function that says whether no other check reported the finding before.

    Several checks may run the same compiler.
    """
    reporters: dict[tuple[str, int, str, str], str] = {}

    def is_first(check: str, finding: Finding) -> bool:
        key = (finding.path, finding.line, finding.code, finding.text)
        return reporters.setdefault(key, check) == check

    return is_first


def name_severity_counts(found: Counter[Severity]) -> dict[str, int]:
    return {
        "errors": found["error"],
        "warnings": found["warning"],
        "infos": found["info"],
        "security": found["security"],
    }
