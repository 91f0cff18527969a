"""The task of a plan that a loop works on, and the verifier's report on it."""

from typing import Literal, TypeAlias

from msgspec import Struct

# Presets of loops over tasks of a plan.
PLANNED = ("implement-task", "implement-feature")
VerifierResult: TypeAlias = Literal["VERIFIED", "INCOMPLETE", "BLOCKED", "MISALIGNED"]


class PlanTask(Struct, frozen=True, kw_only=True):
    """A part of the contract. Without `task` it stands for the feature as a whole.

    Without `path` the plan run that started the loop updates the task's status.
    """

    path: str = ""
    task: str = ""
    # Whether the whole feature is to be done, and the tasks that follow in this session.
    feature: bool = False
    rest: tuple[str, ...] = ()
    # A promise in the task's prompt that replaces the verifier's evidence.
    promise: str = ""
    # The digest of the plan as it was agreed on when its first task began.
    sha256: str = ""

    @property
    def name(self) -> str:
        return self.task or "feature"

    @property
    def followed(self) -> bool:
        return self.feature and bool(self.task)


class TaskReport(Struct, frozen=True, kw_only=True):
    """A verifier's result; `missing` explains unmet criteria by their names."""

    result: VerifierResult
    missing: dict[str, str] = {}
    reason: str = ""

    @property
    def stuck(self) -> bool:
        """Say whether more work of the agent would not help."""
        return self.result in ("BLOCKED", "MISALIGNED")

    @property
    def summary(self) -> str:
        return f"{self.result}: {self.reason}" if self.reason else self.result


def is_doubted(report: TaskReport | None) -> bool:
    """Say whether a verifier contradicts the checks."""
    return report is not None and report.result != "VERIFIED"


def list_missing(report: TaskReport | None) -> tuple[str, ...]:
    if report is None or not report.missing:
        return ()
    return (
        "Missing, by the verifier:",
        *(f"- {name}: {text}" for name, text in report.missing.items()),
    )
