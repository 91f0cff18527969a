"""The values of a TASKS.json: a plan, its phases and tasks, and the mistakes in them."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from untildone.core.contract import Check

TaskStatus: TypeAlias = Literal["not_started", "in_progress", "completed"]
POINTS = (1, 2, 3, 5, 8)
# A larger task should be split before work on it begins.
LARGEST_POINTS = 5
Points: TypeAlias = Annotated[int, Meta(extra_json_schema={"enum": list(POINTS)})]
Allowance: TypeAlias = Annotated[str, Meta(description="KIND:PATH[:DETAIL]")]


class Phase(Struct, frozen=True, kw_only=True):
    id: int | str
    name: str = ""


class Summary(Struct, frozen=True, kw_only=True):
    total_tasks: int = 0
    total_points: int = 0
    critical_path: tuple[str, ...] = ()


class Task(Struct, frozen=True, kw_only=True):
    """`checks`, `allow` and `worker` are ours; all other fields are ShipSpec's."""

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
        return "1 point" if self.points == 1 else f"{self.points} points"


class Plan(Struct, frozen=True, kw_only=True):
    tasks: dict[str, Task]
    version: str = "1.0"
    feature: str = ""
    summary: Summary = Summary()
    phases: tuple[Phase, ...] = ()


class Mistake(Struct, frozen=True, kw_only=True):
    """Something wrong with a plan; a warning does not prevent work on it."""

    text: str
    remedy: str
    task: str = ""
    warning: bool = False

    def __str__(self) -> str:
        return f"`{self.task}`: {self.text}" if self.task else self.text
