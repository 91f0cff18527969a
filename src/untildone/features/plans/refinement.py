"""Splits a large task of a plan into parts, and corrects `blocks` fields.

If B is split into B1 and B2 (which depends on B1), the chain A <- B <- C, where C depends on B
and B on A, becomes A <- B1 <- B2 <- C.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import ValidationError, convert, to_builtins

from untildone.errors import UserError
from untildone.features.plans import editing
from untildone.features.plans.decoding import decode_plan
from untildone.features.plans.plan import LARGEST_POINTS, Task
from untildone.features.plans.plan_file import Document, make_plan_error, require_task
from untildone.features.plans.plan_rules import check_rules, derive_blocks
from untildone.json_edit.edits import Edit, apply_edits, format_member
from untildone.json_edit.scan import scan_value

# The fields of each part as the user wrote them, by the part's id.
Parts = Mapping[str, Mapping[str, Any]]
# Fields a part takes from the split task unless it has its own.
_INHERITED = ("phase", "prd_refs", "sdd_refs")


def split_task(document: Document, name: str, parts: Parts) -> str:
    """Return the plan's text with the parts in place of the task; raises UserError for mistakes.

    Parts that depend on no other part get the dependencies of the split task; tasks that
    depended on it depend on the parts that no other part needs.
    """
    task = document.plan.tasks[require_task(document, name)]
    part_tasks = {part: _decode_part(part, fields) for part, fields in parts.items()}
    _require_fitting_parts(document, name, part_tasks)
    # For each part the other parts that it depends on.
    needed_parts = {
        part: parts.keys() & set(part_task.depends_on) for part, part_task in part_tasks.items()
    }
    last_parts = [
        part for part in parts if not any(part in others for others in needed_parts.values())
    ]
    complete_parts: dict[str, dict[str, object]] = {}
    for part, fields in parts.items():
        inherited = () if needed_parts[part] else task.depends_on
        depends_on = list(dict.fromkeys((*inherited, *part_tasks[part].depends_on)))
        complete_parts[part] = {**_inherit_fields(task, fields), "depends_on": depends_on}
    text = _write_parts(document, name, complete_parts, last_parts=last_parts)
    plan, mistakes = decode_plan(document.path.name, text)
    # Only mistakes of the parts: what else is wrong with the plan is not this edit's doing.
    broken_rules = (
        mistake for mistake in check_rules(plan) if mistake.task in parts and not mistake.warning
    )
    mistakes = (*mistakes, *broken_rules)
    if mistakes:
        raise make_plan_error(document.path, mistakes)
    split = Document(path=document.path, data=text.encode(), plan=plan)
    return editing.edit_fields(split, correct_blocks(split))


def correct_blocks(document: Document) -> dict[str, dict[str, object]]:
    """Return, by task, a corrected `blocks` where it contradicts the `depends_on` of others."""
    tasks = document.plan.tasks
    return {
        name: {"blocks": derived}
        for name, derived in derive_blocks(tasks).items()
        if tasks[name].blocks and set(tasks[name].blocks) != set(derived)
    }


def _decode_part(part: str, fields: Mapping[str, Any]) -> Task:
    """Return the part as a task; raises UserError for a field of the wrong type."""
    try:
        return convert(fields, Task)
    except ValidationError as error:
        raise UserError(f"`{part}`: {str(error).lower()}", hint="correct it in the parts") from None


def _require_fitting_parts(document: Document, name: str, parts: Mapping[str, Task]) -> None:
    """Raise UserError if work on the task has begun, or if the parts cannot replace it."""
    status = document.plan.tasks[name].status
    if status != "not_started":
        raise UserError(
            f"`{name}` is {status.replace('_', ' ')} and cannot be split",
            hint=f"run `untildone plan set-status {name} not_started`",
        )
    existing = [part for part in parts if part in document.plan.tasks and part != name]
    if existing:
        raise UserError(
            f"`{existing[0]}` is already a task of this plan", hint="give the part another id"
        )
    if len(parts) < 2:
        raise UserError(f"one part does not split `{name}`", hint="give two or more")
    for part, task in parts.items():
        if task.points > LARGEST_POINTS:
            raise UserError(
                f"`{part}` has {task.points} points, more than {LARGEST_POINTS}",
                hint="split it further",
            )


def _inherit_fields(task: Task, fields: Mapping[str, Any]) -> dict[str, object]:
    """Return the part's fields, with some of the split task where it leaves them out."""
    values = to_builtins(task)
    inherited = {
        field: values[field] for field in _INHERITED if values[field] and field not in fields
    }
    return {**fields, **inherited, "status": "not_started"}


def _write_parts(
    document: Document, name: str, parts: Mapping[str, object], *, last_parts: list[str]
) -> str:
    """Return the text with the parts in place of the task.

    What depended on the task depends on the `last_parts` instead.
    """
    text = document.text
    root, nodes = editing.scan_tasks(text)
    tasks = root.children[root.keys.index("tasks")]
    start = tasks.starts[tasks.keys.index(name)]
    gap, style = editing.find_member_gap(text, start), editing.find_style(text)
    members = (format_member(part, fields, gap=gap, style=style) for part, fields in parts.items())
    edits = [Edit(start=start, end=nodes[name].end, text=f",{gap}".join(members))]
    for other, task in document.plan.tasks.items():
        if name in task.depends_on and other != name:
            depends_on = (
                part
                for dependency in task.depends_on
                for part in (last_parts if dependency == name else [dependency])
            )
            node = scan_value(text, nodes[other].start, depth=1)
            edits.append(
                editing.set_member(text, node, "depends_on", list(dict.fromkeys(depends_on)))
            )
    return apply_edits(text, edits)
