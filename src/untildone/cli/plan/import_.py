"""`untildone plan import`: imports a plan from another tool's file."""

from pathlib import Path

import click
from msgspec import Struct

from untildone.cli.options import json_option, print_json
from untildone.cli.plan.plan_path import with_new_plan
from untildone.features.importers.plan_formats import PLAN_FORMATS, read_foreign_plan
from untildone.features.importers.plan_formats.plan_format import LARGEST, ImportedPlan
from untildone.features.plans.editing import save_plan
from untildone.features.plans.order import check_order
from untildone.features.plans.plan import Phase, Plan
from untildone.features.plans.rendering import render_json


class Imported(Struct, frozen=True, kw_only=True):
    """What `plan import --json` prints."""

    file: str
    tasks: tuple[str, ...]
    taken: tuple[str, ...]


@click.command("import")
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--format",
    "kind",
    type=click.Choice(list(PLAN_FORMATS)),
    help="The format, if it is not recognised.",
)
@with_new_plan
@json_option
def command(source: Path, *, kind: str | None, path: Path, as_json: bool) -> None:
    """Write a plan from a prd.json, a PRD of Hope, ralphex, beads, fix_plan.md or a check list.

    \b
    untildone plan import prd.json
    untildone plan import .beads/issues.jsonl --plan plans/TASKS.json
    """
    with source.open("rb") as opened:
        data = opened.read(LARGEST + 1)
    foreign = read_foreign_plan(source.as_posix(), data, kind=kind or "")
    path.parent.mkdir(parents=True, exist_ok=True)
    save_plan(path, render_json(_plan(foreign, source)))
    _print_imported(
        Imported(file=str(path), tasks=tuple(foreign.tasks), taken=foreign.notes), as_json=as_json
    )
    for mistake in check_order(foreign.tasks):
        click.echo(f"{path}: {mistake}; {mistake.remedy}", err=True)


def _plan(foreign: ImportedPlan, source: Path) -> Plan:
    feature = foreign.feature or source.stem
    return Plan(feature=feature, phases=(Phase(id=1, name=feature),), tasks=foreign.tasks)


def _print_imported(imported: Imported, *, as_json: bool) -> None:
    if as_json:
        print_json(imported)
        return
    for line in imported.taken:
        click.echo(line, err=True)
    click.echo(f"written: {imported.file} with {len(imported.tasks)} tasks")
