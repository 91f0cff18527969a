"""Ways in which the start's tests pass all the same, tried before anybody is asked."""

import re
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from untildone.core.check_results import CheckResult
from untildone.core.evidence import Evidence
from untildone.core.failure_changes import make_test_matcher
from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.compose import Composed, FromNow, composed
from untildone.worktree.roles import classify_file

# What is stricter now may be too strict for the start's tests.
_WITH_SETTINGS = "replayed: the start's tests pass on the code, with the start's settings"
# The start's tests may be too few.
_WITH_TESTS = "replayed: the start's tests pass on the code, and the checks with those of now"

# What could make a run content with less than the start's settings ask for.
_STEERS = re.compile(
    r"\bdef pytest_|\bhookimpl\b|\bcov|_cov\b|fail_under|config\.option|\bpluginmanager\b"
    r"|\batexit\b|\b_?exit\(|\bsettrace\b"
)


class Ways(Struct, frozen=True, kw_only=True):
    """`tried` is red, `adapted` stands for tests of the start, `taken` judges as it is now;
    `whole` if the comparison found no loss."""

    comparison: Comparison
    tried: Composed
    adapted: Mapping[str, str]
    taken: FromNow
    whole: bool

    def told(
        self,
        red: Sequence[CheckResult],
        evidence: Evidence,
        *,
        proves: Callable[[Composed], bool],
    ) -> str:
        """How the checks pass; nothing if they do not."""
        plain = composed(self.comparison, from_now=self.taken, adapted=self.adapted)
        if plain.files != self.tried.files and proves(plain):
            return _WITH_SETTINGS
        if not self.whole or not all(_wants_more_tests(result, evidence) for result in red):
            return ""
        if any(_STEERS.search(self.comparison.new.text(path)) for path in self._changed_tests()):
            return ""
        grown = composed(self.comparison, from_now=self._tests_too)
        return _WITH_TESTS if proves(grown) else ""

    def _changed_tests(self) -> list[str]:
        changes = self.comparison.changes
        return [path for path in (*changes.edited, *changes.added) if classify_file(path) == "test"]

    def _tests_too(self, path: str) -> bool:
        return self.taken(path) or classify_file(path) == "test"


def _wants_more_tests(result: CheckResult, evidence: Evidence) -> bool:
    """Red although every test of the start ran and passed, as for want of coverage."""
    start = {each.name: each.tests for each in evidence.baseline or ()}
    had, now = start.get(result.name), result.tests
    if had is None or now is None or result.outcome != "red" or now.failed:
        return False
    return now.executed >= had.executed and all(
        map(make_test_matcher(now), (*had.passing, *had.failing))
    )
