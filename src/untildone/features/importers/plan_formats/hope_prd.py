"""Hope's PRD: a heading for each task, its id and dependencies in a comment below it."""

import re
from collections.abc import Iterator

from msgspec.structs import replace

from untildone.features.importers.plan_formats.markdown import Line, parse_lines
from untildone.features.importers.plan_formats.plan_format import ImportedPlan, build_plan
from untildone.features.plans.model import Task, TaskStatus

# ### T-001: Parse dates
# <!-- task
# id: T-001
# blockedBy: [T-000]
# parallel: false
# -->
_COMMENT = re.compile(r"(?s)<!--\s*task\b(.*?)-->")
_FIELD = re.compile(r"(?m)^[ \t]*(\w+):[ \t]*(.*?)[ \t]*$")
_HEADING = re.compile(r"(?P<id>[A-Za-z]+-\d+):\s*(?P<title>.*)")


def recognises(path: str, text: str) -> bool:
    return path.endswith(".md") and _COMMENT.search(text) is not None


def read(path: str, text: str) -> ImportedPlan:
    title = next(
        (line.text for line in parse_lines(text) if line.kind == "heading" and line.level == 1), ""
    )
    return build_plan(path, _parse_tasks(text), feature=title)


def _parse_tasks(text: str) -> Iterator[tuple[str, Task]]:
    for section in re.split(r"(?m)^(?=#{2,4}\s)", text):
        comment = _COMMENT.search(section)
        first = next(parse_lines(section), None)
        if comment and first:
            fields = dict(_FIELD.findall(comment[1]))
            yield _build_task(fields, first.text, section.replace(comment[0], ""))


def _build_task(fields: dict[str, str], heading: str, section: str) -> tuple[str, Task]:
    named = _HEADING.fullmatch(heading)
    name = fields.get("id") or (named["id"] if named else heading)
    found = list(parse_lines(section))
    boxes = [line for line in found if line.kind == "box"]
    task = Task(
        title=named["title"] if named else heading,
        status=derive_status(boxes),
        depends_on=tuple(re.findall(r"[\w.-]+", fields.get("blockedBy", ""))),
        acceptance_criteria=tuple(box.text for box in boxes),
    )
    return name, replace(task, prompt=join_text_lines(found[1:]))


def derive_status(boxes: list[Line]) -> TaskStatus:
    return "completed" if boxes and all(box.checked for box in boxes) else "not_started"


def join_text_lines(found: list[Line]) -> str:
    """The text between the boxes."""
    said = [line.text for line in found if line.kind == "text"]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(said)).strip()
