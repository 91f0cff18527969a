"""`untildone plan init`: writes a new plan."""

from pathlib import Path

import click

from untildone.cli.plan.plan_path import with_new_plan
from untildone.features.plans.editing import save_plan
from untildone.features.plans.plan import Phase, Plan, Task
from untildone.features.plans.rendering import render_json

_FIRST = Task(
    title="Say what is to be done first",
    phase=1,
    points=1,
    acceptance_criteria=("Say what must hold when it is done, such as: `make test` exits 0",),
    prompt="Say here what to do, in words an agent can follow.",
)


@click.command("init")
@click.argument("feature", required=False)
@with_new_plan
def command(feature: str | None, *, path: Path) -> None:
    """Write a new plan with one task.

    \b
    untildone plan init login
    untildone plan init login --plan .shipspec/planning/login/TASKS.json
    """
    plan = Plan(
        feature=feature or path.resolve().parent.name,
        phases=(Phase(id=1, name="Foundation"),),
        tasks={"TASK-001": _FIRST},
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    save_plan(path, render_json(plan))
    click.echo(f"written: {path}")
