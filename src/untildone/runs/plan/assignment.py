"""A task of a plan as a loop: task text and checks."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec.structs import replace

from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.engine.project_checks import load_trusted_configuration
from untildone.engine.request import Request
from untildone.features.plans.task_checks import find_promise, list_task_checks, merge_checks
from untildone.features.plans.task_loops import load_project_checks
from untildone.runs.plan.plan_journal import TaskProgress
from untildone.runs.plan.workspace import Workspace
from untildone.runs.tasks.merge_evidence import make_marker_checks
from untildone.runs.tasks.plan_terms import apply_plan_task, write_task_text


def make_request(workspace: Workspace, name: str, state: TaskProgress) -> Request:
    """Make the start request of an attempt."""
    task, project = workspace.plan.tasks[name], workspace.get_project(name)
    remaining = workspace.bounds.rounds - count_rounds(workspace, state)
    rounds = max(remaining, 1) if workspace.bounds.rounds else 0
    request = Request(
        session=state.session,
        project=project,
        task=write_task_text(name, task, evidence=state.evidence),
        bounds=replace(workspace.bounds, rounds=rounds),
    )
    request = apply_plan_task(
        request,
        name,
        task,
        promise=find_promise(task),
        others=list_project_checks(workspace, project),
    )
    also = (*make_marker_checks(state.conflicts), *_list_checks_of(workspace, state.beside))
    return replace(request, checks=merge_checks((*request.checks, *also)))


def count_rounds(workspace: Workspace, state: TaskProgress) -> int:
    """Return the number of rounds that the bound counts."""
    loops = state.loops[state.earlier :]
    return sum(workspace.context.loops.load(loop).progress.round for loop in loops)


def list_project_checks(workspace: Workspace, project: Path) -> tuple[Check, ...]:
    """Return the checks trusted in the user's checkout, else those detected in the worktree."""
    configured = load_trusted_configuration(workspace.context, workspace.project).checks
    return load_project_checks(workspace.context, workspace.project if configured else project)


def run_task_checks(
    workspace: Workspace, project: Path, tasks: Iterable[str]
) -> tuple[CheckResult, ...]:
    """Run the checks of the project and of these tasks on the current tree."""
    checks = merge_checks(
        (*list_project_checks(workspace, project), *_list_checks_of(workspace, tasks))
    )
    return run_checks(checks, RunOptions(project=project))


def _list_checks_of(workspace: Workspace, tasks: Iterable[str]) -> Iterator[Check]:
    for name in tasks:
        # A task may have left the plan since it was merged.
        if name in workspace.plan.tasks:
            yield from list_task_checks(workspace.plan.tasks[name])
