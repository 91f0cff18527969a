"""ralphex: tasks in order, each with boxes, and commands that must pass after each.

## Validation Commands
- `pytest`
### Task 1: Parse dates
- [ ] ISO dates parse
"""

import re
from collections.abc import Iterator

from untildone.features.importers.plan_formats import plan_format
from untildone.features.markdown import Line, find_title, join_text_lines, list_boxes, parse_lines
from untildone.features.plans.plan import Task

_TASK_HEADING = re.compile(
    r"(?:Task|Iteration)\s+(?P<number>\d+)\b[:.]?\s*(?P<title>.*)", re.IGNORECASE
)
_COMMAND = re.compile(r"\s*[-*]\s+`(?P<command>[^`]+)`.*")


def recognises(path: str, text: str) -> bool:
    return path.endswith(".md") and any(
        line.kind == "heading" and _TASK_HEADING.fullmatch(line.text) for line in parse_lines(text)
    )


def read_plan(path: str, text: str) -> plan_format.ImportedPlan:
    sections = list(_split_sections(text))
    checks = tuple(
        match["command"].strip()
        for heading, body in sections
        if heading.casefold() == "validation commands"
        for line in body
        if (match := _COMMAND.fullmatch(line.text))
    )
    notes = ["each task depends on the one before"]
    if checks:
        notes.append(f"{len(checks)} validation commands became checks of every task")
    tasks = plan_format.chain_tasks(_parse_tasks(sections, checks))
    title = find_title(parse_lines(text)).removeprefix("Plan: ")
    return plan_format.build_plan(path, tasks, feature=title, notes=notes)


def _split_sections(text: str) -> Iterator[tuple[str, list[Line]]]:
    """Yield each heading and the lines below it; the first section has no heading."""
    heading, body = "", list[Line]()
    for line in parse_lines(text):
        if line.kind == "heading":
            yield heading, body
            heading, body = line.text, []
        else:
            body.append(line)
    yield heading, body


def _parse_tasks(
    sections: list[tuple[str, list[Line]]], checks: tuple[str, ...]
) -> Iterator[tuple[str, Task]]:
    """Yield the id and the task of each section whose heading names a task."""
    for heading, body in sections:
        task_heading = _TASK_HEADING.fullmatch(heading)
        if task_heading:
            boxes = list_boxes(body)
            task = Task(
                title=task_heading["title"] or heading,
                status=plan_format.get_status(boxes),
                acceptance_criteria=tuple(box.text for box in boxes),
                prompt=join_text_lines(body),
                checks=checks,
            )
            yield plan_format.make_task_id(int(task_heading["number"])), task
