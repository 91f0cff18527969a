"""`untildone run --plan`: run the tasks of a plan, each in its own worktree."""

from pathlib import Path
from typing import Any

from untildone.cli.options import find_project
from untildone.cli.plan_options import require_plan_options
from untildone.cli.run_display import open_display
from untildone.cli.run_plan_display import PlanLines
from untildone.core.contract import Bounds
from untildone.engine.context import Context
from untildone.engine.project_checks import find_configured_folder
from untildone.engine.speaker import find_calling_session
from untildone.engine.start_options import OPTIONS, apply_bounds
from untildone.errors import UserError
from untildone.features.plans.plan_file import read_plan, require_order
from untildone.features.plans.task_checks import is_trusted
from untildone.runs.plan.plan_run import run_plan
from untildone.runs.plan.workspace import Workspace, find_repository, find_state_folder
from untildone.runs.run_memory import RunOptions

# The default for each task.
_ROUNDS = 5
_PLAN_OPTIONS = frozenset(
    (
        *("plan", "jobs", "agents", "client", "fresh", "no_wait", "project", "as_json"),
        *(option.name for option in OPTIONS if option.bound),
    )
)


def run_plan_tasks(
    context: Context,
    project: Path | None,
    values: dict[str, Any],
    *,
    options: RunOptions,
    as_json: bool,
) -> int:
    _refuse_other_options(values)
    bounds = apply_bounds(Bounds(rounds=_ROUNDS), values)
    workspace = _open_workspace(
        context, values, find_project(project), options=options, bounds=bounds
    )
    with open_display(PlanLines, context.environ, as_json=as_json) as show:
        return run_plan(workspace, show).exit_code


def _refuse_other_options(values: dict[str, Any]) -> None:
    """Refuse options for what the plan itself says."""
    if not values["plan"]:
        raise UserError("`-j` needs a plan", hint="add `--plan TASKS.json`")
    require_plan_options(_PLAN_OPTIONS)


def _open_workspace(
    context: Context, values: dict[str, Any], project: Path, *, options: RunOptions, bounds: Bounds
) -> Workspace:
    path: Path = values["plan"]
    plan = require_order(read_plan(path)).plan
    by_agent = find_calling_session(str(context.home)) is not None
    if by_agent and not is_trusted(context, path, plan):
        raise UserError(
            f"the commands of `{path}` are not trusted",
            hint="ask the user to run `untildone trust --plan`",
        )
    folder = find_configured_folder(project)
    git = find_repository(folder)
    return Workspace(
        context=context,
        path=path,
        plan=plan,
        project=folder,
        folder=find_state_folder(context, path),
        options=options,
        bounds=bounds,
        git=git,
        subfolder=folder.resolve().relative_to(git.folder.resolve()) if git else Path(),
        jobs=values["jobs"] or 1 if git else 1,
    )
