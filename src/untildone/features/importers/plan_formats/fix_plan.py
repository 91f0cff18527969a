"""ralph-claude-code's `fix_plan.md`: its boxes except the optional ones."""

import re
from collections.abc import Iterable, Iterator

from untildone.features.importers.plan_formats.check_list import parse_tasks
from untildone.features.importers.plan_formats.markdown import Line, parse_lines
from untildone.features.importers.plan_formats.plan_format import ImportedPlan, build_plan

_LATER = re.compile(r"\b(?:optional|future|nice to have|backlog)\b", re.IGNORECASE)


def recognises(path: str, _text: str) -> bool:
    return path.endswith("fix_plan.md")


def read(path: str, text: str) -> ImportedPlan:
    found = list(parse_lines(text))
    wanted = list(_skip_optional(found))
    boxes = [sum(line.kind == "box" for line in each) for each in (found, wanted)]
    later = boxes[0] - boxes[1]
    notes = (f"{later} boxes below headings such as `Optional` are left out",) if later else ()
    return build_plan(path, parse_tasks(wanted), notes=notes)


def _skip_optional(found: Iterable[Line]) -> Iterator[Line]:
    later = False
    for line in found:
        if line.kind == "heading":
            later = _LATER.search(line.text) is not None
        if not later:
            yield line
