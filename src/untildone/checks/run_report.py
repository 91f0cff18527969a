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
        ids: dict[CaseOutcome, list[str]] = {"passed": [], "failed": [], "skipped": []}
        for case in self.cases:
            ids[case.outcome].append(case.id)
        return Tests(
            passed=len(ids["passed"]),
            failed=len(ids["failed"]),
            skipped=len(ids["skipped"]),
            failing=tuple(ids["failed"]),
            passing=tuple(ids["passed"]),
            skipping=tuple(ids["skipped"]),
        )
