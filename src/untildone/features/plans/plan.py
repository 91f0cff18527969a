"""The values of a plan (a file `TASKS.json`): its tasks, phases and summary, and its mistakes.

The format is that of ShipSpec, a tool that writes such plans, with three more fields for a task.
"""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from untildone.core.contract import Check

TaskStatus: TypeAlias = Literal["not_started", "in_progress", "completed"]
# The only version of the format so far.
VERSION = "1.0"
# Estimates of a task's size that a plan may use.
POINTS = (1, 2, 3, 5, 8)
# A larger task should be split before work on it begins.
LARGEST_POINTS = 5
Points: TypeAlias = Annotated[int, Meta(extra_json_schema={"enum": list(POINTS)})]
Allowance: TypeAlias = Annotated[str, Meta(description="KIND:PATH[:DETAIL]")]


class Phase(Struct, frozen=True, kw_only=True):
    """A named group of tasks; a task names the phase by its `id`."""

    id: int | str
    name: str = ""


class Summary(Struct, frozen=True, kw_only=True):
    """Totals that a plan states about its own tasks; they may be outdated."""

    total_tasks: int = 0
    total_points: int = 0
    critical_path: tuple[str, ...] = ()


class Task(Struct, frozen=True, kw_only=True):
    """One task; only `checks`, `allow` and `worker` are not fields of ShipSpec."""

    title: str
    status: TaskStatus = "not_started"
    phase: int | str | None = None
    points: Points = 0
    depends_on: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()
    prd_refs: tuple[str, ...] = ()
    sdd_refs: tuple[str, ...] = ()
    acceptance_criteria: tuple[str, ...] = ()
    testing: tuple[str, ...] = ()
    prompt: str = ""
    # Commands, or checks written as in `untildone.toml`.
    checks: tuple[str | Check, ...] = ()
    allow: tuple[Allowance, ...] = ()
    # Who has it in progress, if several work on one plan.
    worker: str = ""

    @property
    def size(self) -> str:
        """The points as text: "3 points"."""
        return "1 point" if self.points == 1 else f"{self.points} points"


class Plan(Struct, frozen=True, kw_only=True):
    """A whole TASKS.json; `feature` is the name of what the tasks build together."""

    tasks: dict[str, Task]
    version: str = VERSION
    feature: str = ""
    summary: Summary = Summary()
    phases: tuple[Phase, ...] = ()


class Mistake(Struct, frozen=True, kw_only=True):
    """Something wrong with a plan, and how to fix it; a warning does not prevent work on it."""

    text: str
    remedy: str
    # The id of the task that has the mistake; empty if the plan as a whole has it.
    task: str = ""
    warning: bool = False

    def __str__(self) -> str:
        return f"`{self.task}`: {self.text}" if self.task else self.text
