"""ralph-claude-code's `fix_plan.md`: its boxes except the optional ones."""

from untildone.features.importers.formats.frankbria import OPTIONAL
from untildone.features.importers.plan_formats.check_list import parse_tasks
from untildone.features.importers.plan_formats.plan_format import ImportedPlan, build_plan
from untildone.features.markdown import list_boxes, parse_lines, skip_sections


def recognises(path: str, _text: str) -> bool:
    return path.endswith("fix_plan.md")


def read(path: str, text: str) -> ImportedPlan:
    lines = list(parse_lines(text))
    wanted = list(skip_sections(lines, OPTIONAL))
    optional = len(list_boxes(lines)) - len(list_boxes(wanted))
    note = f"{optional} boxes below headings such as `Optional` are left out"
    return build_plan(path, parse_tasks(wanted), notes=(note,) if optional else ())
