"""ralphex: tasks in order, each with boxes, and commands that must pass after every one."""

import re
from collections.abc import Iterator

from untildone.features.importers.plan_formats.boxes import Line, lines
from untildone.features.importers.plan_formats.hope_prd import prompt_of, status_of
from untildone.features.importers.plan_formats.plan_format import (
    ForeignPlan,
    gathered,
    in_sequence,
    number,
)
from untildone.features.plans.model import Task

# ### Task 1: Parse dates
_TASK = re.compile(r"(?:Task|Iteration)\s+(?P<number>\d+)\b[:.]?\s*(?P<title>.*)", re.IGNORECASE)
_COMMAND = re.compile(r"\s*[-*]\s+`(?P<command>[^`]+)`.*")


def recognises(path: str, text: str) -> bool:
    return path.endswith(".md") and any(
        line.kind == "heading" and _TASK.fullmatch(line.text) for line in lines(text)
    )


def plan(path: str, text: str) -> ForeignPlan:
    sections = list(_sections(text))
    checks = tuple(
        found["command"].strip()
        for heading, body in sections
        if heading.casefold() == "validation commands"
        for line in body
        if (found := _COMMAND.fullmatch(line.text))
    )
    told = ["each task depends on the one before"]
    if checks:
        told.append(f"{len(checks)} validation commands became checks of every task")
    tasks = in_sequence(_tasks(sections, checks))
    title = next((line.text for line in lines(text) if line.kind == "heading"), "")
    return gathered(path, tasks, feature=title.removeprefix("Plan: "), told=told)


def _sections(text: str) -> Iterator[tuple[str, list[Line]]]:
    heading, body = "", list[Line]()
    for line in lines(text):
        if line.kind == "heading":
            yield heading, body
            heading, body = line.text, []
        else:
            body.append(line)
    yield heading, body


def _tasks(
    sections: list[tuple[str, list[Line]]], checks: tuple[str, ...]
) -> Iterator[tuple[str, Task]]:
    for heading, body in sections:
        named = _TASK.fullmatch(heading)
        if named:
            boxes = [line for line in body if line.kind == "box"]
            yield (
                number(int(named["number"])),
                Task(
                    title=named["title"] or heading,
                    status=status_of(boxes),
                    acceptance_criteria=tuple(box.text for box in boxes),
                    prompt=prompt_of(body),
                    checks=checks,
                ),
            )
