"""The tests of a run by name, as its report tells them."""

from typing import Literal, TypeAlias

from msgspec import Struct

from untildone.loop.model import Tests

CaseOutcome: TypeAlias = Literal["passed", "failed", "skipped"]


class Case(Struct, frozen=True, kw_only=True):
    id: str
    outcome: CaseOutcome


class Inventory(Struct, frozen=True, kw_only=True):
    cases: tuple[Case, ...] = ()

    @property
    def tests(self) -> Tests:
        outcomes = [case.outcome for case in self.cases]
        return Tests(
            passed=outcomes.count("passed"),
            failed=outcomes.count("failed"),
            skipped=outcomes.count("skipped"),
            failing=tuple(case.id for case in self.cases if case.outcome == "failed"),
        )
