"""A check list as issues have it: each outer box is a task, the inner ones are its criteria."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from untildone.features.importers.plan_formats.boxes import Line, lines
from untildone.features.importers.plan_formats.plan_format import ForeignPlan, gathered, number
from untildone.features.plans.model import Task


def recognises(path: str, text: str) -> bool:
    return path.endswith((".md", ".markdown", ".txt")) and any(
        line.kind == "box" for line in lines(text)
    )


def plan(path: str, text: str) -> ForeignPlan:
    found = list(lines(text))
    title = next((line.text for line in found if line.kind == "heading"), "")
    return gathered(path, tasks_in(found), feature=title)


def tasks_in(found: Iterable[Line]) -> Iterator[tuple[str, Task]]:
    task: Task | None = None
    outer = position = 0
    for line in found:
        if line.kind == "heading":
            outer = 0
        if line.kind != "box":
            continue
        if task is not None and line.level > outer:
            task = replace(task, acceptance_criteria=(*task.acceptance_criteria, line.text))
            continue
        if task is not None:
            yield number(position), task
        position, outer = position + 1, line.level
        task = Task(title=line.text, status="completed" if line.checked else "not_started")
    if task is not None:
        yield number(position), task
