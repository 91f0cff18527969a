"""A task of a plan as a loop: task text, checks, baseline."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec.structs import replace

from untildone.checks.runner import RunOptions, run_checks
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.core.plan_task import PlanTask
from untildone.core.text import shorten, to_one_line
from untildone.engine.baseline_results import save_baseline_results
from untildone.engine.context import Context
from untildone.engine.loop_start import begin_loop
from untildone.engine.project_checks import load_trusted_configuration
from untildone.engine.request import Request
from untildone.features.plans.model import Task
from untildone.features.plans.task_checks import find_promise, list_task_checks, merge_checks
from untildone.features.plans.task_loops import list_task_claims
from untildone.features.plans.task_loops import load_project_checks as found_checks
from untildone.process.command import quote_argument
from untildone.runs.plan.journal import TaskProgress
from untildone.runs.plan.workspace import Workspace
from untildone.store.loops import Record

_OUTPUT = 2_000


def make_request(setting: Workspace, name: str, course: TaskProgress) -> Request:
    """Make the start request; subjective criteria need the prompt's promise or evidence."""
    task, place = setting.plan.tasks[name], setting.place(name)
    promise, claims = find_promise(task), list_task_claims(task)
    left = setting.bounds.rounds - count_rounds(setting, course)
    rounds = max(left, 1) if setting.bounds.rounds else 0
    own = (*list_task_checks(task), *_list_conflicts(course), *_checks(setting, course.beside))
    return Request(
        session=course.session,
        project=place,
        task=write_task_text(name, task, course),
        checks=merge_checks((*list_project_checks(setting, place), *own)),
        claims=claims,
        done_when="both" if promise or claims else None,
        bounds=replace(setting.bounds, rounds=rounds),
        allow=task.allow,
        plan=PlanTask(task=name, promise=promise),
    )


def count_rounds(setting: Workspace, course: TaskProgress) -> int:
    """Return the number of rounds that the bound counts."""
    loops = course.loops[course.earlier :]
    return sum(setting.context.loops.load(loop).progress.round for loop in loops)


def write_task_text(name: str, task: Task, course: TaskProgress) -> str:
    criteria = [f"- {text}" for text in (*task.acceptance_criteria, *task.testing)]
    back = f"This was done once, but {course.evidence}\n\nMend that." if course.evidence else ""
    parts = (
        f"{name}: {task.title}",
        back,
        task.prompt,
        "\n".join(("What must hold:", *criteria)) if criteria else "",
    )
    return "\n\n".join(part for part in parts if part)


def list_project_checks(setting: Workspace, place: Path) -> tuple[Check, ...]:
    """Return the checks trusted in the user's checkout, else those detected in the worktree."""
    configured = load_trusted_configuration(setting.context, setting.project).checks
    return found_checks(setting.context, setting.project if configured else place)


def run_task_checks(
    setting: Workspace, place: Path, tasks: Iterable[str]
) -> tuple[CheckResult, ...]:
    """Run the checks of the project and of these tasks on the current tree."""
    checks = merge_checks((*list_project_checks(setting, place), *_checks(setting, tasks)))
    return run_checks(checks, RunOptions(project=place))


def _checks(setting: Workspace, tasks: Iterable[str]) -> Iterator[Check]:
    for name in tasks:
        # A task may have left the plan since it was merged.
        if name in setting.plan.tasks:
            yield from list_task_checks(setting.plan.tasks[name])


def start_loop(context: Context, request: Request) -> Record:
    return record_baseline(context, begin_loop(context, request))


def record_baseline(context: Context, record: Record) -> Record:
    """Record which checks are red before the agent works."""
    checks = [check for check in record.contract.checks if check.when == "round"]
    if not checks:
        return record
    results = run_checks(checks, RunOptions(project=Path(record.contract.project)))
    return save_baseline_results(context, record.contract.id, results)


def describe_failures(results: Iterable[CheckResult]) -> str:
    return "\n".join(
        f"- {result.name} (`{result.command}`): {result.outcome}"
        + (f", {to_one_line(result.reason)}" if result.reason else "")
        + (f"\n{shorten(result.output, _OUTPUT)}" if result.output else "")
        for result in results
        if not result.green
    )


def _list_conflicts(course: TaskProgress) -> tuple[Check, ...]:
    if not course.conflicts:
        return ()
    argv = (sys.executable, "-I", "-m", "untildone.runs.plan.merge_markers", *course.conflicts)
    return (
        Check(
            name="merge", command=" ".join(map(quote_argument, argv)), reason="a merge conflicted"
        ),
    )
