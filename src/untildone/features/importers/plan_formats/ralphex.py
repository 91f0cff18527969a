"""ralphex: tasks in order, each with boxes, and commands that must pass after each."""

import re
from collections.abc import Iterator

from untildone.features.importers.plan_formats.plan_format import (
    ImportedPlan,
    build_plan,
    chain_tasks,
    get_status,
    make_task_id,
)
from untildone.features.markdown import (
    Line,
    find_title,
    join_text_lines,
    list_boxes,
    parse_lines,
)
from untildone.features.plans.plan import Task

# ### Task 1: Parse dates
_TASK = re.compile(r"(?:Task|Iteration)\s+(?P<number>\d+)\b[:.]?\s*(?P<title>.*)", re.IGNORECASE)
_COMMAND = re.compile(r"\s*[-*]\s+`(?P<command>[^`]+)`.*")


def recognises(path: str, text: str) -> bool:
    return path.endswith(".md") and any(
        line.kind == "heading" and _TASK.fullmatch(line.text) for line in parse_lines(text)
    )


def read(path: str, text: str) -> ImportedPlan:
    sections = list(_split_sections(text))
    checks = tuple(
        found["command"].strip()
        for heading, body in sections
        if heading.casefold() == "validation commands"
        for line in body
        if (found := _COMMAND.fullmatch(line.text))
    )
    notes = ["each task depends on the one before"]
    if checks:
        notes.append(f"{len(checks)} validation commands became checks of every task")
    tasks = chain_tasks(_parse_tasks(sections, checks))
    title = find_title(parse_lines(text)).removeprefix("Plan: ")
    return build_plan(path, tasks, feature=title, notes=notes)


def _split_sections(text: str) -> Iterator[tuple[str, list[Line]]]:
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
    for heading, body in sections:
        named = _TASK.fullmatch(heading)
        if named:
            boxes = list_boxes(body)
            task = Task(
                title=named["title"] or heading,
                status=get_status(boxes),
                acceptance_criteria=tuple(box.text for box in boxes),
                prompt=join_text_lines(body),
                checks=checks,
            )
            yield make_task_id(int(named["number"])), task
