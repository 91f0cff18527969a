"""A large task divided into smaller ones: what depended on it depends on them."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import ValidationError, convert, to_builtins

from untildone.errors import UserError
from untildone.features.plans.decoding import decode_plan
from untildone.features.plans.document import Document, edit_fields, plan_error, require_task
from untildone.features.plans.members import (
    Edit,
    dumped,
    edited,
    gap,
    member,
    members,
    setting,
    written,
)
from untildone.features.plans.model import LARGEST_POINTS, Mistake, Task
from untildone.features.plans.rules import check_rules, derive_blocks

Parts = Mapping[str, Mapping[str, Any]]
# What a part has from the whole where it says nothing itself.
_INHERITED = ("phase", "prd_refs", "sdd_refs")


def split_task(document: Document, name: str, parts: Parts) -> str:
    """The text in which these tasks stand in the place of that one; its edges go to their ends."""
    whole = document.plan.tasks[require_task(document, name)]
    read = {part: _part(part, given) for part, given in parts.items()}
    _fitting(document, name, read)
    inner = {part: parts.keys() & set(task.depends_on) for part, task in read.items()}
    last = [part for part in parts if not any(part in needs for needs in inner.values())]
    new = {
        part: {
            **_inherited(whole, given),
            "depends_on": _once(
                (*(() if inner[part] else whole.depends_on), *read[part].depends_on)
            ),
        }
        for part, given in parts.items()
    }
    text = _with_parts(document, name, new, last=last)
    plan, mistakes = decode_plan(document.path.name, text)
    after = Document(path=document.path, data=text.encode(), plan=plan)
    wrong = (*mistakes, *(each for each in check_rules(plan) if _concerns(each, parts)))
    if wrong:
        raise plan_error(document.path, wrong)
    return edit_fields(after, correct_blocks(after))


def correct_blocks(document: Document) -> dict[str, dict[str, object]]:
    """The `blocks` that do not say what the `depends_on` of the others do."""
    tasks = document.plan.tasks
    return {
        name: {"blocks": found}
        for name, found in derive_blocks(tasks).items()
        if tasks[name].blocks and set(tasks[name].blocks) != set(found)
    }


def _part(part: str, given: Mapping[str, Any]) -> Task:
    try:
        return convert(given, Task)
    except ValidationError as error:
        raise UserError(f"`{part}`: {str(error).lower()}", hint="correct it in the parts") from None


def _once(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _fitting(document: Document, name: str, parts: Mapping[str, Task]) -> None:
    status = document.plan.tasks[name].status
    if status != "not_started":
        raise UserError(
            f"`{name}` is {status.replace('_', ' ')} and cannot be divided",
            hint=f"run `untildone plan set-status {name} not_started`",
        )
    taken = [part for part in parts if part in document.plan.tasks and part != name]
    if taken:
        raise UserError(
            f"`{taken[0]}` is already a task of this plan", hint="give the part another id"
        )
    if len(parts) < 2:
        raise UserError(f"`{name}` is not divided by one part", hint="give two or more")
    for part, task in parts.items():
        if task.points > LARGEST_POINTS:
            raise UserError(
                f"`{part}` has {task.points} points, more than {LARGEST_POINTS}",
                hint="divide it further",
            )


def _inherited(whole: Task, given: Mapping[str, Any]) -> dict[str, object]:
    has = {field: value for field, value in to_builtins(whole).items() if field in _INHERITED}
    kept = {field: value for field, value in has.items() if value and field not in given}
    return {**given, **kept, "status": "not_started"}


def _with_parts(
    document: Document, name: str, parts: Mapping[str, object], *, last: list[str]
) -> str:
    text = document.text
    top = member(text, 0, "tasks")
    places = {found.key: found for found in members(text, top.start)} if top else {}
    whole = places[name]
    space = gap(text, whole.key_at)
    listed = f",{space}".join(
        f"{dumped(part)}: {written(text, whole.key_at, given)}" for part, given in parts.items()
    )
    edits = [Edit(start=whole.key_at, end=whole.end, text=listed)]
    for other, task in document.plan.tasks.items():
        if name in task.depends_on and other != name:
            needs = (
                part for each in task.depends_on for part in (last if each == name else [each])
            )
            edits.append(setting(text, places[other].start, "depends_on", _once(needs)))
    return edited(text, edits)


def _concerns(mistake: Mistake, parts: Parts) -> bool:
    return mistake.task in parts and not mistake.warning
