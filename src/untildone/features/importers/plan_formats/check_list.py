"""A check list, as in issues: each outer box is a task, the inner ones are its criteria."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from untildone.features.importers.plan_formats.markdown import Line, parse_lines
from untildone.features.importers.plan_formats.plan_format import (
    ImportedPlan,
    build_plan,
    make_task_id,
)
from untildone.features.plans.model import Task


def recognises(path: str, text: str) -> bool:
    return path.endswith((".md", ".markdown", ".txt")) and any(
        line.kind == "box" for line in parse_lines(text)
    )


def read(path: str, text: str) -> ImportedPlan:
    found = list(parse_lines(text))
    title = next((line.text for line in found if line.kind == "heading"), "")
    return build_plan(path, parse_tasks(found), feature=title)


def parse_tasks(found: Iterable[Line]) -> Iterator[tuple[str, Task]]:
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
            yield make_task_id(position), task
        position, outer = position + 1, line.level
        task = Task(title=line.text, status="completed" if line.checked else "not_started")
    if task is not None:
        yield make_task_id(position), task
