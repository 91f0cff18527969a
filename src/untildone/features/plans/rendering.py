"""Renders a plan as text: as TASKS.json for a new plan, as TASKS.md for people to read."""

import json
from collections.abc import Iterator

from msgspec import to_builtins

from untildone.features.plans.plan import LARGEST_POINTS, Plan, Task
from untildone.features.plans.plan_rules import find_large_tasks, summarize

GENERATED_NOTICE = "<!-- written by `untildone plan render`; changes made here are lost -->"
# The order of ShipSpec's schema.
_FIELD_ORDER = ("version", "feature", "summary", "phases", "tasks")
# Fields that ShipSpec does not know are written only if they have a value.
_OWN_FIELDS = ("checks", "allow", "worker")
_BOXES = {"not_started": "[ ]", "in_progress": "[~]", "completed": "[x]"}


def render_json(plan: Plan) -> str:
    """Return the plan's JSON: all fields of ShipSpec in its order, and a correct summary."""
    raw = to_builtins(plan) | {"summary": to_builtins(summarize(plan.tasks))}
    for task in raw["tasks"].values():
        for field in _OWN_FIELDS:
            if not task[field]:
                del task[field]
    ordered = {field: raw[field] for field in _FIELD_ORDER}
    return json.dumps(ordered, indent=2, ensure_ascii=False) + "\n"


def render_markdown(plan: Plan) -> str:
    """Return the plan as Markdown: totals, then a section for each phase with its tasks."""
    return "\n".join((*_render_head(plan), *_render_phases(plan))).rstrip() + "\n"


def _render_head(plan: Plan) -> Iterator[str]:
    """Yield the title, the notice and the totals."""
    summary, large = summarize(plan.tasks), find_large_tasks(plan.tasks)
    completed = [task for task in plan.tasks.values() if task.status == "completed"]
    points = sum(task.points for task in completed)
    yield from (f"# Tasks: {_join_lines(plan.feature) or 'unnamed'}", "", GENERATED_NOTICE, "")
    yield f"- {len(completed)} of {summary.total_tasks} tasks completed"
    yield f"- {points} of {summary.total_points} points"
    if summary.critical_path:
        yield f"- critical path: {' → '.join(summary.critical_path)}"
    if large:
        yield f"- over {LARGEST_POINTS} points, better split: {', '.join(large)}"
    yield ""


def _render_phases(plan: Plan) -> Iterator[str]:
    """Yield the tasks by phase; a phase that only tasks name comes after the plan's phases."""
    phase_names = {phase.id: phase.name for phase in plan.phases}
    groups: dict[int | str | None, list[str]] = {phase: [] for phase in phase_names}
    for name, task in plan.tasks.items():
        groups.setdefault(task.phase, []).append(name)
    for phase, names in groups.items():
        if phase is not None:
            title = _join_lines(phase_names.get(phase, ""))
            yield from (f"## Phase {phase}: {title}".rstrip(": "), "")
        for name in names:
            yield from _render_task(name, plan.tasks[name])


def _render_task(name: str, task: Task) -> Iterator[str]:
    """Yield a heading with the status, one line of facts, the lists and the prompt."""
    yield from (f"### {_BOXES[task.status]} {name}: {_join_lines(task.title)}", "")
    lists = (
        ("depends on", task.depends_on),
        ("blocks", task.blocks),
        ("references", task.prd_refs + task.sdd_refs),
    )
    facts = (f"{label} {', '.join(names)}" for label, names in lists if names)
    yield from ("; ".join((task.size, *facts)), "")
    mark = "x" if task.status == "completed" else " "
    yield from _render_list("Acceptance criteria", task.acceptance_criteria, f"- [{mark}] ")
    yield from _render_list("Testing", task.testing, "- ")
    if task.prompt.strip():
        yield from (task.prompt.strip(), "")


def _render_list(title: str, entries: tuple[str, ...], bullet: str) -> Iterator[str]:
    """Yield a bold title and the entries as a list; nothing without entries."""
    if entries:
        yield from (f"**{title}**", "", *(f"{bullet}{_join_lines(entry)}" for entry in entries), "")


def _join_lines(text: str) -> str:
    """Return the text in one line, as a heading or an entry of a list must be."""
    return " ".join(text.split())
