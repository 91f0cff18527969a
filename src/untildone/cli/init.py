"""`untildone init`: install hooks, slash commands and status line."""

from pathlib import Path
from typing import cast, get_args

import click
from msgspec import Struct

from untildone.agents import AGENTS
from untildone.cli.options import here, json_option, print_json, project_of, project_option
from untildone.cli.place import place_of
from untildone.install.claude import Plan, Scope, carry_out, plan_init
from untildone.store.home import prepare, vanishing


class Written(Struct, frozen=True, kw_only=True):
    path: str
    kind: str


class Initialised(Struct, frozen=True, kw_only=True):
    files: tuple[Written, ...]
    notes: tuple[str, ...]


@click.command("init")
@click.option(
    "--agent",
    "agents",
    multiple=True,
    type=click.Choice(sorted(AGENTS)),
    default=("claude",),
    expose_value=False,
    help="The agent to install for; Claude Code is the one there is.",
)
@click.option(
    "--scope",
    type=click.Choice(get_args(Scope)),
    default="user",
    show_default=True,
    help="Which of the client's settings files.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be written.")
@project_option
@json_option
def command(*, scope: str, dry_run: bool, project: Path | None, as_json: bool) -> None:
    """Install for Claude Code: once per machine, and again after an upgrade.

    Foreign settings are kept as they are; `untildone uninstall` takes out only ours.

    \b
    untildone init --dry-run          says what it would write
    untildone init --scope local      for this project and this person only
    """
    found = here()
    place = place_of(found, project_of(project))
    plan = plan_init(place, cast(Scope, scope))
    if not dry_run:
        prepare(found.home)
        carry_out(place, plan)
    if as_json:
        files = tuple(Written(path=str(each.path), kind=each.kind) for each in plan.changes)
        print_json(Initialised(files=files, notes=plan.notes))
        return
    _told(plan, dry_run=dry_run)
    lost = vanishing(found.home)
    if lost:
        click.echo(f"note: {found.home} is on {lost} and is gone after a restart", err=True)


def _told(plan: Plan, *, dry_run: bool) -> None:
    for change in plan.changes:
        if change.kind != "unchanged":
            click.echo(f"{'would be ' if dry_run else ''}{change.kind}: {change.path}")
    for note in plan.notes:
        click.echo(f"note: {note}", err=True)
    if all(change.kind == "unchanged" for change in plan.changes):
        click.echo("everything is in place already")
    elif not dry_run:
        click.echo("next: `untildone drill` proves it; then `/untildone:test` in Claude Code")
