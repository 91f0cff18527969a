"""TASKS.md: the plan as people read it."""

from collections.abc import Iterator

from untildone.features.plans.model import Plan, Task
from untildone.features.plans.rules import find_large_tasks, summarize

_BOXES = {"not_started": "[ ]", "in_progress": "[~]", "completed": "[x]"}
GENERATED_NOTICE = "<!-- written by `untildone plan render`; what is changed here is lost -->"


def render_markdown(plan: Plan) -> str:
    return "\n".join((*_head(plan), *_phases(plan))).rstrip() + "\n"


def _head(plan: Plan) -> Iterator[str]:
    summary = summarize(plan.tasks)
    completed = [task for task in plan.tasks.values() if task.status == "completed"]
    points = sum(task.points for task in completed)
    yield from (f"# Tasks: {_line(plan.feature) or 'unnamed'}", "", GENERATED_NOTICE, "")
    yield f"- {len(completed)} of {summary.total_tasks} tasks completed"
    yield f"- {points} of {summary.total_points} points"
    if summary.critical_path:
        yield f"- critical path: {' → '.join(summary.critical_path)}"
    if find_large_tasks(plan.tasks):
        yield f"- over 5 points, better divided: {', '.join(find_large_tasks(plan.tasks))}"
    yield ""


def _phases(plan: Plan) -> Iterator[str]:
    known = {phase.id: phase.name for phase in plan.phases}
    groups: dict[int | str | None, list[str]] = {phase: [] for phase in known}
    for name, task in plan.tasks.items():
        groups.setdefault(task.phase, []).append(name)
    for phase, names in groups.items():
        if phase is not None:
            yield from (f"## Phase {phase}: {_line(known.get(phase, ''))}".rstrip(": "), "")
        for name in names:
            yield from _task(name, plan.tasks[name])


def _task(name: str, task: Task) -> Iterator[str]:
    yield from (f"### {_BOXES[task.status]} {name}: {_line(task.title)}", "")
    facts = [task.size, *_listed("depends on", task.depends_on)]
    facts += [
        *_listed("blocks", task.blocks),
        *_listed("references", task.prd_refs + task.sdd_refs),
    ]
    yield from ("; ".join(facts), "")
    mark = "x" if task.status == "completed" else " "
    yield from _section("Acceptance criteria", task.acceptance_criteria, f"- [{mark}] ")
    yield from _section("Testing", task.testing, "- ")
    if task.prompt.strip():
        yield from (task.prompt.strip(), "")


def _listed(label: str, names: tuple[str, ...]) -> list[str]:
    return [f"{label} {', '.join(names)}"] if names else []


def _section(title: str, entries: tuple[str, ...], bullet: str) -> Iterator[str]:
    if entries:
        yield from (f"**{title}**", "", *(f"{bullet}{_line(entry)}" for entry in entries), "")


def _line(text: str) -> str:
    return " ".join(text.split())
