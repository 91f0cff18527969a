"""A check list, as in issues: each outer box is a task, the inner ones are its criteria.

- [ ] Parse dates            Task(title="Parse dates", acceptance_criteria=("With time zones",))
  - [ ] With time zones
"""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from untildone.features.importers.plan_formats import plan_format
from untildone.features.markdown import Line, find_title, list_boxes, parse_lines
from untildone.features.plans.plan import Task


def recognises(path: str, text: str) -> bool:
    return path.endswith((".md", ".markdown", ".txt")) and bool(list_boxes(parse_lines(text)))


def read_plan(path: str, text: str) -> plan_format.ImportedPlan:
    lines = list(parse_lines(text))
    return plan_format.build_plan(path, parse_tasks(lines), feature=find_title(lines))


def parse_tasks(lines: Iterable[Line]) -> Iterator[tuple[str, Task]]:
    """Yield each task with an id by its position; a heading ends the boxes of a task."""
    tasks: list[Task] = []
    outer_level = 0
    for line in lines:
        if line.kind == "heading":
            outer_level = 0
        elif line.kind == "box" and tasks and line.level > outer_level:
            criteria = (*tasks[-1].acceptance_criteria, line.text)
            tasks[-1] = replace(tasks[-1], acceptance_criteria=criteria)
        elif line.kind == "box":
            outer_level = line.level
            tasks.append(Task(title=line.text, status=plan_format.get_status([line])))
    for position, task in enumerate(tasks, 1):
        yield plan_format.make_task_id(position), task
