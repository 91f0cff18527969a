"""The protocol of a plan format, and what all formats share."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from untildone.errors import UserError
from untildone.features.markdown import Line
from untildone.features.plans.plan import Task, TaskStatus

LARGEST = 64_000_000
_USUAL_POINTS = 3


class ImportedPlan(Struct, frozen=True, kw_only=True):
    """`notes` say what differs from the file."""

    tasks: dict[str, Task]
    feature: str = ""
    notes: tuple[str, ...] = ()


class PlanFormat(Protocol):
    # whether a file of this name and text has this format
    def recognises(self, path: str, text: str) -> bool: ...

    # raises UserError if it is not a plan
    def read(self, path: str, text: str) -> ImportedPlan: ...


def build_plan(
    path: str, found: Iterable[tuple[str, Task]], *, feature: str = "", notes: Iterable[str] = ()
) -> ImportedPlan:
    """Gives each task a valid id, points and at least one criterion."""
    listed = list(found)
    if not listed:
        raise UserError(f"`{path}` has no task", hint="name a file that lists some")
    ids = _make_ids(path, [name for name, _ in listed])
    tasks = {ids[name]: _complete_task(task, ids) for name, task in listed}
    all_notes = [*notes, f"the file has no estimates: each task has {_USUAL_POINTS} points"]
    if not all(task.acceptance_criteria for _, task in listed):
        all_notes.append("a task without criteria has its title as the only one")
    return ImportedPlan(tasks=tasks, feature=feature, notes=tuple(all_notes))


def chain_tasks(found: Iterable[tuple[str, Task]]) -> list[tuple[str, Task]]:
    """Makes each task depend on the one before, for tools that work in order."""
    listed = list(found)
    before = ["", *(name for name, _ in listed)]
    return [
        (name, replace(task, depends_on=(before[number],) if number else ()))
        for number, (name, task) in enumerate(listed)
    ]


def get_status(boxes: Sequence[Line]) -> TaskStatus:
    """A task is completed if it has boxes and all of them are checked."""
    return "completed" if boxes and all(box.checked for box in boxes) else "not_started"


def make_task_id(position: int) -> str:
    return f"TASK-{position:03d}"


def _make_ids(path: str, names: list[str]) -> dict[str, str]:
    ids: dict[str, str] = {}
    for name in names:
        if name in ids:
            raise UserError(f"`{path}`: `{name}` appears twice", hint="leave one of them")
        ids[name] = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")[:64] or make_task_id(
            len(ids) + 1
        )
    if len(set(ids.values())) < len(ids):
        raise UserError(f"`{path}`: two ids differ only in punctuation", hint="rename one of them")
    return ids


def _complete_task(task: Task, ids: Mapping[str, str]) -> Task:
    return replace(
        task,
        phase=1,
        points=_USUAL_POINTS,
        acceptance_criteria=task.acceptance_criteria or (task.title,),
        # A task that is not in the file was done or removed there.
        depends_on=tuple(ids[name] for name in task.depends_on if name in ids),
    )
