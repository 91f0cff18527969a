"""Hope's PRD: a heading for each task, its id and dependencies in a comment below it.

### T-001: Parse dates
<!-- task
id: T-001
blockedBy: [T-000]
-->
- [ ] ISO dates parse
"""

import re
from collections.abc import Iterator

from untildone.features.importers.plan_formats import plan_format
from untildone.features.markdown import find_title, join_text_lines, list_boxes, parse_lines
from untildone.features.plans.plan import Task

_COMMENT = re.compile(r"(?s)<!--\s*task\b(.*?)-->")
_FIELD = re.compile(r"(?m)^[ \t]*(\w+):[ \t]*(.*?)[ \t]*$")
_HEADING = re.compile(r"(?P<id>[A-Za-z]+-\d+):\s*(?P<title>.*)")


def recognises(path: str, text: str) -> bool:
    return path.endswith(".md") and _COMMENT.search(text) is not None


def read_plan(path: str, text: str) -> plan_format.ImportedPlan:
    title = find_title(parse_lines(text), level=1)
    return plan_format.build_plan(path, _parse_tasks(text), feature=title)


def _parse_tasks(text: str) -> Iterator[tuple[str, Task]]:
    """Yield the id and the task of each section with such a comment."""
    for section in re.split(r"(?m)^(?=#{2,4}\s)", text):
        comment = _COMMENT.search(section)
        heading = next(parse_lines(section), None)
        if comment and heading:
            fields = dict(_FIELD.findall(comment[1]))
            yield _build_task(fields, heading.text, section.replace(comment[0], ""))


def _build_task(fields: dict[str, str], heading: str, section: str) -> tuple[str, Task]:
    """Return the id and the task of a section; boxes are its criteria, other text its prompt."""
    heading_parts = _HEADING.fullmatch(heading)
    lines = list(parse_lines(section))
    boxes = list_boxes(lines)
    return fields.get("id") or (heading_parts["id"] if heading_parts else heading), Task(
        title=heading_parts["title"] if heading_parts else heading,
        status=plan_format.get_status(boxes),
        depends_on=tuple(re.findall(r"[\w.-]+", fields.get("blockedBy", ""))),
        acceptance_criteria=tuple(box.text for box in boxes),
        prompt=join_text_lines(lines[1:]),
    )
