"""A task of a plan as a loop has it: which one, what follows it, what a verifier said of it."""

from typing import Literal, TypeAlias

from msgspec import Struct

VerifierResult: TypeAlias = Literal["VERIFIED", "INCOMPLETE", "BLOCKED", "MISALIGNED"]


class PlanTask(Struct, frozen=True, kw_only=True):
    """Sealed with the contract; without `task` it is the feature as a whole.

    Without `path` whoever runs the plan tells it how far the task is.
    """

    path: str = ""
    task: str = ""
    # Where the whole feature is meant: the tasks that follow in this session, in order.
    feature: bool = False
    rest: tuple[str, ...] = ()
    # The text that stands for a verifier's evidence where the task's prompt has one.
    promise: str = ""
    # Of everything that was agreed to when the first of the tasks began.
    sha256: str = ""

    @property
    def name(self) -> str:
        return self.task or "feature"

    @property
    def followed(self) -> bool:
        return self.feature and bool(self.task)


class TaskReport(Struct, frozen=True, kw_only=True):
    """A verifier's result, with what is missing by the name of its criterion."""

    result: VerifierResult
    missing: dict[str, str] = {}
    reason: str = ""

    @property
    def stuck(self) -> bool:
        """More work of the agent would not help."""
        return self.result in ("BLOCKED", "MISALIGNED")

    @property
    def told(self) -> str:
        return f"{self.result}: {self.reason}" if self.reason else self.result


def is_doubted(report: TaskReport | None) -> bool:
    """Somebody looked and did not find what was asked for, whatever the checks say."""
    return report is not None and report.result != "VERIFIED"


def list_missing(report: TaskReport | None) -> tuple[str, ...]:
    if report is None or not report.missing:
        return ()
    return (
        "Missing, by the verifier:",
        *(f"- {name}: {text}" for name, text in report.missing.items()),
    )
