"""Which failures are gone and which are new, from one run of the checks to the next."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from untildone.core.check_results import CheckResult, Finding
from untildone.core.failure_changes import find_test, index_tests_by_name
from untildone.core.progress import BaselineRun, Round

# Results that name every failure there is.
_CONCLUSIVE = ("green", "red")
_CUT = "the journal does not list every failure of {}, only their number"


class NamedChanges(Struct, frozen=True, kw_only=True):
    """`unlisted_because` names the checks that cannot be compared, as their lists are cut."""

    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    unlisted_because: str = ""


def compare_runs(before: Round | BaselineRun | None, now: Round) -> NamedChanges:
    """Compare the checks that gave a result in both runs; None: there was no run before."""
    if before is None:
        return NamedChanges()
    old = {result.name: result for result in before.checks if result.outcome in _CONCLUSIVE}
    pairs = [
        (old[result.name], result)
        for result in now.checks
        if result.name in old and result.outcome in _CONCLUSIVE
    ]
    listed = [pair for pair in pairs if not any(map(_is_cut, pair))]
    cut = [result.name for was, result in pairs if _is_cut(was) or _is_cut(result)]
    was = dict(_name_all(pair[0] for pair in listed))
    is_now = dict(_name_all(pair[1] for pair in listed))
    return NamedChanges(
        gone=tuple(text for key, text in was.items() if key not in is_now),
        new=tuple(text for key, text in is_now.items() if key not in was),
        unlisted_because=_CUT.format(", ".join(cut)) if cut else "",
    )


def _is_cut(result: CheckResult) -> bool:
    tests = result.tests
    has_all_tests = tests is None or tests.failed <= len(tests.failing)
    return result.finding_count > len(result.findings) or not has_all_tests


def _name_all(results: Iterable[CheckResult]) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield a key that outlasts shifted lines, and the text, of each test and finding."""
    for result in results:
        failing = result.tests.failing if result.tests else ()
        named = index_tests_by_name(failing)
        found = [(find_test(finding, named), finding) for finding in result.findings]
        reasons = {test: f"{test}: {finding.text}" for test, finding in found if test}
        for test in failing:
            yield (result.name, test), reasons.get(test, test)
        for test, finding in found:
            if not test:
                yield (result.name, finding.fingerprint), _describe_finding(finding)


def _describe_finding(finding: Finding) -> str:
    place = f"{finding.path}:{finding.line}" if finding.line else finding.path
    return " ".join(filter(None, (place, finding.code, finding.text)))
