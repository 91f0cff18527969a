"""How much there is of what: findings by severity and by file, tests by outcome."""

from collections import Counter
from collections.abc import Iterable, Iterator
from operator import attrgetter

from untildone.loop.comparison import names_of_tests
from untildone.loop.model import CheckResult, FileTotals, Finding, Severity, Totals

WORST_FILES = 20
_PLACE = attrgetter("path", "severity")


def totals(results: Iterable[CheckResult]) -> Totals:
    results = tuple(results)
    found = Counter(finding.severity for finding in _findings(results))
    tests = [result.tests for result in results if result.tests]
    return Totals(
        **_by_severity(found),
        passed=sum(each.passed for each in tests),
        failed=sum(each.failed for each in tests),
        skipped=sum(each.skipped for each in tests),
    )


def has_findings(counted: Totals) -> bool:
    return bool(counted.errors or counted.warnings or counted.infos or counted.security)


def worst_files(results: Iterable[CheckResult]) -> tuple[FileTotals, ...]:
    """Those with the most findings, the worst first."""
    found: dict[str, Counter[Severity]] = {}
    for (path, severity), count in Counter(map(_PLACE, _findings(results))).items():
        if path:
            found.setdefault(path, Counter())[severity] = count
    worst = sorted(found, key=lambda path: (-found[path].total(), path))[:WORST_FILES]
    return tuple(FileTotals(path=path, **_by_severity(found[path])) for path in worst)


def _findings(results: Iterable[CheckResult]) -> Iterator[Finding]:
    """Each finding that is not a test's own failure, which is counted among the tests."""
    for result in results:
        named = names_of_tests(result.tests.failing) if result.tests else {}
        yield from (each for each in result.findings if each.code not in named)


def _by_severity(found: Counter[Severity]) -> dict[str, int]:
    return {
        "errors": found["error"],
        "warnings": found["warning"],
        "infos": found["info"],
        "security": found["security"],
    }
