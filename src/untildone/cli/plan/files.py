"""`untildone plan init`, `import` and `render`: write a plan, or TASKS.md from it."""

from pathlib import Path

import click
from msgspec import Struct

from untildone.cli.options import EXISTING_FILE, json_option, print_report
from untildone.cli.plan.plan_path import with_new_plan, with_plan
from untildone.errors import UserError
from untildone.features.importers.plan_formats import PLAN_FORMATS, read_foreign_plan
from untildone.features.importers.plan_formats.plan_format import MAX_BYTES
from untildone.features.plans.editing import save_plan
from untildone.features.plans.order import find_order_mistakes
from untildone.features.plans.plan import Phase, Plan, Task
from untildone.features.plans.plan_file import read_plan, require_order
from untildone.features.plans.rendering import GENERATED_NOTICE, render_json, render_markdown

_FIRST = Task(
    title="Say what is to be done first",
    phase=1,
    points=1,
    acceptance_criteria=("Say what must hold when it is done, such as: `make test` exits 0",),
    prompt="Say here what to do, in words an agent can follow.",
)


class Imported(Struct, frozen=True, kw_only=True):
    """What `plan import --json` prints."""

    file: str
    tasks: tuple[str, ...]
    taken: tuple[str, ...]


@click.command("init")
@click.argument("feature", required=False)
@with_new_plan
def init_command(feature: str | None, *, path: Path) -> None:
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
    _write_plan(path, plan)
    click.echo(f"written: {path}")


def _write_plan(path: Path, plan: Plan) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    save_plan(path, render_json(plan))


@click.command("import")
@click.argument("source", type=EXISTING_FILE)
@click.option(
    "--format",
    "kind",
    type=click.Choice(list(PLAN_FORMATS)),
    help="The format, if it is not recognised.",
)
@with_new_plan
@json_option
def import_command(source: Path, *, kind: str | None, path: Path, as_json: bool) -> None:
    """Write a plan from a prd.json, a PRD of Hope, ralphex, beads, fix_plan.md or a check list.

    \b
    untildone plan import prd.json
    untildone plan import .beads/issues.jsonl --plan plans/TASKS.json
    """
    with source.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    foreign = read_foreign_plan(source.as_posix(), data, kind=kind or "")
    feature = foreign.feature or source.stem
    plan = Plan(feature=feature, phases=(Phase(id=1, name=feature),), tasks=foreign.tasks)
    _write_plan(path, plan)
    imported = Imported(file=str(path), tasks=tuple(foreign.tasks), taken=foreign.notes)
    if not as_json:
        for note in imported.taken:
            click.echo(note, err=True)
    written = f"written: {path} with {len(imported.tasks)} tasks"
    print_report(imported, [written], as_json=as_json)
    for mistake in find_order_mistakes(foreign.tasks):
        click.echo(f"{path}: {mistake}; {mistake.remedy}", err=True)


@click.command("render")
@click.option("--stdout", is_flag=True, help="Print the text instead.")
@click.option("--force", is_flag=True, help="Overwrite a TASKS.md that untildone did not write.")
@with_plan
def render_command(*, stdout: bool, force: bool, path: Path) -> None:
    """Write TASKS.md beside the plan, for people to read.

    \b
    untildone plan render
    """
    document = require_order(read_plan(path))
    text = render_markdown(document.plan)
    if stdout:
        click.echo(text, nl=False)
        return
    target = document.path.with_suffix(".md")
    if not force and target.exists() and GENERATED_NOTICE.encode() not in target.read_bytes():
        raise UserError(
            f"`{target}` was not written by `untildone plan render`",
            hint="run `untildone plan render --force` to overwrite it",
        )
    save_plan(target, text)
    click.echo(f"written: {target}")
