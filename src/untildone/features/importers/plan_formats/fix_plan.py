"""ralph-claude-code's `fix_plan.md`: a check list without the boxes below `## Optional`."""

from untildone.features.importers.formats.frankbria import OPTIONAL_HEADING
from untildone.features.importers.plan_formats.check_list import parse_tasks
from untildone.features.importers.plan_formats.plan_format import ImportedPlan, build_plan
from untildone.features.markdown import list_boxes, parse_lines, skip_sections


def recognises(path: str, _text: str) -> bool:
    return path.endswith("fix_plan.md")


def read_plan(path: str, text: str) -> ImportedPlan:
    lines = list(parse_lines(text))
    required_lines = list(skip_sections(lines, OPTIONAL_HEADING))
    optional_boxes = len(list_boxes(lines)) - len(list_boxes(required_lines))
    note = f"{optional_boxes} boxes below headings such as `Optional` are left out"
    return build_plan(path, parse_tasks(required_lines), notes=(note,) if optional_boxes else ())
