"""The rules a plan must follow, and the mistakes where it does not.

`check_rules` looks at the plan alone: ids, points, order, one task in progress, the summary.
`check_references` looks up what tasks name of the requirements (PRD.md) and the design (SDD.md).
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from msgspec.structs import replace

from untildone.core.agent_message import normalize
from untildone.features.plans.order import Tasks, find_critical_path, find_order_mistakes
from untildone.features.plans.plan import (
    LARGEST_POINTS,
    POINTS,
    VERSION,
    Mistake,
    Plan,
    Summary,
    Task,
)

# An id is also the name of a branch and a folder.
_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?")
_ALLOWANCE_KINDS = "suppression, remove-test, edit-test, edit-expected, config"
_ALLOWANCE = re.compile(rf"(?:{_ALLOWANCE_KINDS.replace(', ', '|')}):.+")
_FIX_REMEDY = "run `untildone plan validate --fix`"
# "## 7.1 Storage", "## Section 7.1"
_HEADING_NUMBER = re.compile(r"(?m)^#+\s*(?:section\s+)?(\d+(?:\.\d+)*)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:\.\d+)*")


def check_rules(plan: Plan) -> tuple[Mistake, ...]:
    """Return every mistake: first task by task, then of the plan as a whole."""
    mistakes = [
        Mistake(task=name, text=text, remedy=remedy)
        for name, task in plan.tasks.items()
        for text, remedy in _check_task(plan, name, task)
    ]
    mistakes += find_order_mistakes(plan.tasks)
    mistakes += _check_status_order(plan.tasks)
    mistakes += _check_progress(plan.tasks)
    mistakes += _check_blocks(plan.tasks)
    mistakes += _check_summary(plan)
    if plan.version != VERSION:
        text = f"`version` is `{plan.version}`, which is unknown"
        mistakes.append(Mistake(text=text, remedy=f"write `{VERSION}`"))
    if not plan.tasks:
        mistakes.append(Mistake(text="it has no task", remedy="add one to `tasks`"))
    return tuple(mistakes)


def find_large_tasks(tasks: Tasks) -> tuple[str, ...]:
    """Return the uncompleted tasks that have too many points and should be split."""
    return tuple(
        name
        for name, task in tasks.items()
        if task.points > LARGEST_POINTS and task.status != "completed"
    )


def summarize(tasks: Tasks) -> Summary:
    """Return the summary computed from the tasks."""
    return Summary(
        total_tasks=len(tasks),
        total_points=_sum_points(tasks, tasks),
        critical_path=find_critical_path(tasks),
    )


def correct_summary(plan: Plan) -> Summary | None:
    """Return the correct summary; None if the plan already has it."""
    correct = summarize(plan.tasks)
    # Several chains may have the most points: the plan may name any of them.
    if _is_critical(plan.tasks, plan.summary.critical_path, correct.critical_path):
        correct = replace(correct, critical_path=plan.summary.critical_path)
    return None if correct == plan.summary else correct


def derive_blocks(tasks: Tasks) -> dict[str, list[str]]:
    """Return each task's `blocks`: the tasks that name it in their `depends_on`."""
    blocks: dict[str, list[str]] = {name: [] for name in tasks}
    for name, task in tasks.items():
        for other in dict.fromkeys(task.depends_on):
            if other in blocks:
                blocks[other].append(name)
    return blocks


def _check_task(plan: Plan, name: str, task: Task) -> Iterator[tuple[str, str]]:
    """Yield the text and the remedy of each mistake in the task's own fields."""
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
    if not task.prompt.strip():
        yield "has no prompt", "say in `prompt` what the agent is to do"
    phases = [phase.id for phase in plan.phases]
    if task.phase is not None and phases and task.phase not in phases:
        text = f"`phase` is `{task.phase}`, which is not a phase of this plan"
        yield text, f"one of {', '.join(f'`{phase}`' for phase in phases)}"
    for allowed in task.allow:
        if not _ALLOWANCE.fullmatch(allowed):
            yield f"`allow` has `{allowed}`", f"`KIND:PATH[:DETAIL]` with one of {_ALLOWANCE_KINDS}"


def _check_status_order(tasks: Tasks) -> Iterator[Mistake]:
    """Yield a mistake for each task that was begun before one that it depends on was completed."""
    for name, task in tasks.items():
        unfinished = [
            other
            for other in task.depends_on
            if other in tasks and tasks[other].status != "completed"
        ]
        if task.status == "not_started" or not unfinished:
            continue
        first = unfinished[0]
        status = tasks[first].status.replace("_", " ")
        yield Mistake(
            task=name,
            text=f"is {task.status.replace('_', ' ')}, but `{first}`, which it needs, is {status}",
            remedy=f"run `untildone plan set-status {name} not_started`",
        )


def _check_progress(tasks: Tasks) -> Iterator[Mistake]:
    """Yield a mistake for each worker with several tasks in progress."""
    in_progress: dict[str, list[str]] = {}
    for name, task in tasks.items():
        if task.status == "in_progress":
            in_progress.setdefault(task.worker, []).append(name)
    for worker, names in in_progress.items():
        if len(names) > 1:
            listed = ", ".join(f"`{name}`" for name in names)
            yield Mistake(
                task=names[1],
                text=f"{listed} are in progress" + (f" for `{worker}`" if worker else " at once"),
                remedy=f"run `untildone plan set-status {names[1]} not_started`",
            )


def _check_blocks(tasks: Tasks) -> Iterator[Mistake]:
    """Yield a warning for each `blocks` that contradicts the `depends_on` of other tasks."""
    for name, derived in derive_blocks(tasks).items():
        blocks = set(tasks[name].blocks)
        # A plan may leave out `blocks` altogether.
        if blocks and blocks != set(derived):
            other = next(iter(blocks ^ set(derived)))
            yield Mistake(
                task=name,
                text=f"`blocks` and the `depends_on` of others differ about `{other}`",
                remedy=_FIX_REMEDY,
                warning=True,
            )


def _check_summary(plan: Plan) -> Iterator[Mistake]:
    """Yield a warning for each field of the summary that is not what the tasks add up to."""
    correct = correct_summary(plan)
    for field in Summary.__struct_fields__ if correct else ():
        value, expected = getattr(plan.summary, field), getattr(correct, field)
        if value != expected:
            text = f"`summary.{field}` is {_format_value(value)}, not {_format_value(expected)}"
            yield Mistake(text=text, remedy=_FIX_REMEDY, warning=True)


def _format_value(value: int | tuple[str, ...]) -> str:
    """Return a field of the summary for a message: a number, or ids."""
    return str(value) if isinstance(value, int) else f"`{', '.join(value)}`"


def _is_critical(tasks: Tasks, path: tuple[str, ...], computed: tuple[str, ...]) -> bool:
    """Say whether the path is a chain of dependent tasks with the points of the computed one."""
    if not set(path) <= tasks.keys():
        return False
    is_chain = all(first in tasks[second].depends_on for first, second in pairwise(path))
    return is_chain and _sum_points(tasks, path) == _sum_points(tasks, computed)


def _sum_points(tasks: Tasks, names: Iterable[str]) -> int:
    return sum(tasks[name].points for name in names)


def check_references(plan: Plan, *, prd: str | None, sdd: str | None) -> Iterator[Mistake]:
    """Yield a mistake for each reference that is not in the text of PRD.md or SDD.md.

    None stands for a missing file, for which there is one warning.
    """
    for field, file, text in (("prd_refs", "PRD.md", prd), ("sdd_refs", "SDD.md", sdd)):
        references = [
            (name, reference)
            for name, task in plan.tasks.items()
            for reference in getattr(task, field)
        ]
        if references and text is None:
            yield Mistake(
                text=f"`{field}` cannot be looked up: there is no `{file}` beside the plan",
                remedy=f"write `{file}`, or take out the references",
                warning=True,
            )
        elif text is not None:
            yield from _find_missing_references(field, file, text, references)


def _find_missing_references(
    field: str, file: str, text: str, references: list[tuple[str, str]]
) -> Iterator[Mistake]:
    """Yield a mistake for each (task, reference) whose reference the file's text does not have."""
    normalized_text = normalize(text)
    headings = set(_HEADING_NUMBER.findall(text))
    # Many tasks name the same reference: each is looked up once.
    distinct = {reference for _, reference in references}
    mentioned = {entry for entry in distinct if _is_mentioned(entry, normalized_text, headings)}
    for name, reference in references:
        if reference not in mentioned:
            yield Mistake(
                task=name,
                text=f"`{field}` names `{reference}`, which is not in `{file}`",
                remedy=f"correct the reference, or write it into `{file}`",
            )


def _is_mentioned(reference: str, text: str, heading_numbers: set[str]) -> bool:
    """Say whether the text has the reference as whole words, or a heading with its number.

    "Section 7.1" is mentioned by the heading `## 7.1 Storage`, but "REQ-7" is not by `## 7`.
    """
    words = normalize(reference)
    if words and re.search(rf"(?<![\w.-]){re.escape(words)}(?![\w-])", text):
        return True
    number = _NUMBER.search(reference)
    is_requirement_id = re.match(r"[A-Z]+-\d", reference) is not None
    return number is not None and not is_requirement_id and number[0] in heading_numbers
