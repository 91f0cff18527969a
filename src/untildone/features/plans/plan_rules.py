"""The rules of a plan: ids, points, one task in progress, a correct summary, references."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from msgspec.structs import replace

from untildone.features.plans.order import Tasks, find_critical_path, find_order_mistakes
from untildone.features.plans.plan import LARGEST_POINTS, POINTS, Mistake, Plan, Summary, Task

# An id is also the name of a branch and a folder.
_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?")
_KINDS = "suppression, remove-test, edit-test, edit-expected, config"
_ALLOWANCE = re.compile(rf"(?:{_KINDS.replace(', ', '|')}):.+")
_FIX = "run `untildone plan validate --fix`"
_HEADING_NUMBER = re.compile(r"(?m)^#+\s*(?:section\s+)?(\d+(?:\.\d+)*)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:\.\d+)*")


def check_rules(plan: Plan) -> tuple[Mistake, ...]:
    """Every mistake, task by task and then of the whole plan."""
    found = [
        Mistake(task=name, text=text, remedy=remedy)
        for name, task in plan.tasks.items()
        for text, remedy in _check_task(plan, name, task)
    ]
    found += find_order_mistakes(plan.tasks)
    found += _check_progress(plan.tasks)
    found += _check_blocks(plan.tasks)
    found += _check_summary(plan)
    if not plan.tasks:
        found.append(Mistake(text="it has no task", remedy="add one to `tasks`"))
    return tuple(found)


def find_large_tasks(tasks: Tasks) -> tuple[str, ...]:
    return tuple(
        name
        for name, task in tasks.items()
        if task.points > LARGEST_POINTS and task.status != "completed"
    )


def summarize(tasks: Tasks) -> Summary:
    return Summary(
        total_tasks=len(tasks),
        total_points=_sum_points(tasks, tasks),
        critical_path=find_critical_path(tasks),
    )


def correct_summary(plan: Plan) -> Summary | None:
    """The right summary; None if the plan already has it."""
    right = summarize(plan.tasks)
    if _is_critical(plan.tasks, plan.summary.critical_path, right.critical_path):
        right = replace(right, critical_path=plan.summary.critical_path)
    return None if right == plan.summary else right


def derive_blocks(tasks: Tasks) -> dict[str, list[str]]:
    """Each task's `blocks`, derived from the `depends_on` of the others."""
    found: dict[str, list[str]] = {name: [] for name in tasks}
    for name, task in tasks.items():
        for other in dict.fromkeys(task.depends_on):
            if other in found:
                found[other].append(name)
    return found


def _check_task(plan: Plan, name: str, task: Task) -> Iterator[tuple[str, str]]:
    """What is wrong with one task, and the remedy."""
    if not _ID.fullmatch(name):
        text = "is not a valid id: up to 64 letters, digits, `.`, `_` and `-`"
        yield text, "give it an id such as `TASK-001`"
    if not task.title.strip():
        yield "has no title", "say in `title` what it is about"
    if task.points not in POINTS:
        yield f"has {task.points or 'no'} points", "estimate it: 1, 2, 3, 5 or 8"
    if not any(text.strip() for text in task.acceptance_criteria):
        remedy = "say in `acceptance_criteria` what must hold when it is done"
        yield "has no acceptance criterion", remedy
    phases = [phase.id for phase in plan.phases]
    if task.phase is not None and phases and task.phase not in phases:
        text = f"`phase` is `{task.phase}`, which is not a phase of this plan"
        yield text, f"one of {', '.join(f'`{phase}`' for phase in phases)}"
    for allowed in task.allow:
        if not _ALLOWANCE.fullmatch(allowed):
            yield f"`allow` has `{allowed}`", f"`KIND:PATH[:DETAIL]` with one of {_KINDS}"


def _check_progress(tasks: Tasks) -> Iterator[Mistake]:
    working: dict[str, list[str]] = {}
    for name, task in tasks.items():
        if task.status == "in_progress":
            working.setdefault(task.worker, []).append(name)
    for worker, names in working.items():
        if len(names) > 1:
            listed = ", ".join(f"`{name}`" for name in names)
            yield Mistake(
                task=names[1],
                text=f"{listed} are in progress" + (f" for `{worker}`" if worker else " at once"),
                remedy=f"run `untildone plan set-status {names[1]} not_started`",
            )


def _check_blocks(tasks: Tasks) -> Iterator[Mistake]:
    for name, found in derive_blocks(tasks).items():
        blocks = set(tasks[name].blocks)
        if blocks and blocks != set(found):
            other = next(iter(blocks ^ set(found)))
            yield Mistake(
                task=name,
                text=f"`blocks` and the `depends_on` of others differ about `{other}`",
                remedy=_FIX,
                warning=True,
            )


def _check_summary(plan: Plan) -> Iterator[Mistake]:
    right = correct_summary(plan)
    for field in Summary.__struct_fields__ if right else ():
        value, expected = getattr(plan.summary, field), getattr(right, field)
        if value != expected:
            text = f"`summary.{field}` is {_format(value)}, not {_format(expected)}"
            yield Mistake(text=text, remedy=_FIX, warning=True)


def _format(value: int | tuple[str, ...]) -> str:
    return str(value) if isinstance(value, int) else f"`{', '.join(value)}`"


def _is_critical(tasks: Tasks, path: tuple[str, ...], right: tuple[str, ...]) -> bool:
    """Several chains may be equally long."""
    if not set(path) <= tasks.keys():
        return False
    linked = all(first in tasks[second].depends_on for first, second in pairwise(path))
    return linked and _sum_points(tasks, path) == _sum_points(tasks, right)


def _sum_points(tasks: Tasks, names: Iterable[str]) -> int:
    return sum(tasks[name].points for name in names)


def check_references(plan: Plan, *, prd: str | None, sdd: str | None) -> Iterator[Mistake]:
    """`None` stands for a missing file."""
    for field, file, text in (("prd_refs", "PRD.md", prd), ("sdd_refs", "SDD.md", sdd)):
        named = [
            (name, reference)
            for name, task in plan.tasks.items()
            for reference in getattr(task, field)
        ]
        if named and text is None:
            yield Mistake(
                text=f"`{field}` cannot be looked up: there is no `{file}` beside the plan",
                remedy=f"write `{file}`, or take out the references",
                warning=True,
            )
        elif text is not None:
            yield from _find_missing(field, file, text, named)


def _find_missing(
    field: str, file: str, text: str, named: list[tuple[str, str]]
) -> Iterator[Mistake]:
    words = _normalize(text)
    numbers = set(_HEADING_NUMBER.findall(text))
    references = {reference for _, reference in named}
    known = {reference for reference in references if _is_mentioned(reference, words, numbers)}
    for name, reference in named:
        if reference not in known:
            yield Mistake(
                task=name,
                text=f"`{field}` names `{reference}`, which is not in `{file}`",
                remedy=f"correct the reference, or write it into `{file}`",
            )


def _is_mentioned(reference: str, text: str, numbers: set[str]) -> bool:
    """As words of their own, or by the number of a heading: "Section 7.1"."""
    words = _normalize(reference)
    if words and re.search(rf"(?<![\w.-]){re.escape(words)}(?![\w-])", text):
        return True
    number = _NUMBER.search(reference)
    return number is not None and not re.match(r"[A-Z]+-\d", reference) and number[0] in numbers


def _normalize(text: str) -> str:
    return " ".join(text.casefold().split())
