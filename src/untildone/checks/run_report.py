"""The tests of a run by name, as its report has them."""

from typing import Literal, TypeAlias

from msgspec import Struct

from untildone.core.check_results import Tests

CaseOutcome: TypeAlias = Literal["passed", "failed", "skipped"]


class Case(Struct, frozen=True, kw_only=True):
    """One test; `text` is one line that says why it failed."""

    id: str
    outcome: CaseOutcome
    text: str = ""


class RunReport(Struct, frozen=True, kw_only=True):
    cases: tuple[Case, ...] = ()

    @property
    def tests(self) -> Tests:
        failing, passing, skipping = map(self._list_ids, ("failed", "passed", "skipped"))
        return Tests(
            passed=len(passing),
            failed=len(failing),
            skipped=len(skipping),
            failing=failing,
            passing=passing,
            skipping=skipping,
        )

    def _list_ids(self, outcome: str) -> tuple[str, ...]:
        return tuple(case.id for case in self.cases if case.outcome == outcome)
