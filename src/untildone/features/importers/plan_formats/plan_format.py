"""What a reader of another tool's task list returns, and how it builds a plan.

A format (`PlanFormat`) reads the tasks of a file; `build_plan` gives them what our plans need and
the other tool does not know, such as points.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from untildone.errors import UserError
from untildone.features.markdown import Line
from untildone.features.plans.plan import Task, TaskStatus

MAX_BYTES = 64_000_000
_DEFAULT_POINTS = 3
_MAX_ID_CHARACTERS = 64


class ImportedPlan(Struct, frozen=True, kw_only=True):
    """The tasks by id, the name of the feature, and messages on what differs from the file."""

    tasks: dict[str, Task]
    feature: str = ""
    notes: tuple[str, ...] = ()


class PlanFormat(Protocol):
    """A module of this package that reads the task lists of one tool."""

    # Say whether a file of this name and text has this format.
    def recognises(self, path: str, text: str) -> bool: ...

    # Return the plan of the file; raise UserError if it has none.
    def read_plan(self, path: str, text: str) -> ImportedPlan: ...


def build_plan(
    path: str, tasks: Iterable[tuple[str, Task]], *, feature: str = "", notes: Iterable[str] = ()
) -> ImportedPlan:
    """Return the plan; each task gets a valid id, points, a prompt and at least one criterion.

    The tasks come with their names: the ids in the file, which dependencies use, too.
    """
    named_tasks = list(tasks)
    if not named_tasks:
        raise UserError(f"`{path}` has no task", hint="name a file that lists some")
    ids = _make_ids(path, [name for name, _ in named_tasks])
    tasks_by_id = {ids[name]: _complete_task(task, ids) for name, task in named_tasks}
    all_notes = [*notes, f"the file has no estimates: each task has {_DEFAULT_POINTS} points"]
    if not all(task.acceptance_criteria for _, task in named_tasks):
        all_notes.append("a task without criteria has its title as the only one")
    return ImportedPlan(tasks=tasks_by_id, feature=feature, notes=tuple(all_notes))


def chain_tasks(tasks: Iterable[tuple[str, Task]]) -> Iterator[tuple[str, Task]]:
    """Yield the tasks, each depending on the one before, for tools that work in order.

    A task that was done out of order depends on none that is still to do.
    """
    previous: tuple[str, ...] = ()
    is_open = False
    for name, task in tasks:
        is_completed = task.status == "completed"
        yield name, replace(task, depends_on=() if is_completed and is_open else previous)
        if not (is_completed and is_open):
            previous, is_open = (name,), not is_completed


def get_status(boxes: Sequence[Line]) -> TaskStatus:
    """Return the status of a task: it is completed if it has boxes and all are checked."""
    return "completed" if boxes and all(box.checked for box in boxes) else "not_started"


def make_task_id(position: int) -> str:
    """Return the id of a task that has none in its file, such as `TASK-001`."""
    return f"TASK-{position:03d}"


def _make_ids(path: str, names: list[str]) -> dict[str, str]:
    """Return our id of each name; raise UserError if two tasks would get the same."""
    ids: dict[str, str] = {}
    for name in names:
        if name in ids:
            raise UserError(f"`{path}`: `{name}` appears twice", hint="leave one of them")
        valid_characters = re.sub(r"[^A-Za-z0-9._-]+", "-", name).lstrip("-._")
        valid_id = valid_characters[:_MAX_ID_CHARACTERS].rstrip("-._")
        ids[name] = valid_id or make_task_id(len(ids) + 1)
    if len(set(ids.values())) < len(ids):
        raise UserError(f"`{path}`: two ids differ only in punctuation", hint="rename one of them")
    return ids


def _complete_task(task: Task, ids: Mapping[str, str]) -> Task:
    """Return the task with what every task of ours has, and with our ids of its dependencies."""
    return replace(
        task,
        phase=1,
        points=_DEFAULT_POINTS,
        acceptance_criteria=task.acceptance_criteria or (task.title,),
        prompt=task.prompt or task.title,
        # A dependency that is not in the file was done or removed there.
        depends_on=tuple(ids[name] for name in task.depends_on if name in ids),
    )
