"""`untildone init`: install hooks, slash commands and status line."""

from pathlib import Path
from typing import cast, get_args

import click
from msgspec import Struct

from untildone.agents import AGENTS
from untildone.cli.options import (
    here,
    json_option,
    print_json,
    project_of,
    project_option,
    refuse_in_check,
)
from untildone.cli.place import place_of
from untildone.features.edits import switch
from untildone.install.claude import Plan, Scope, carry_out, plan_init
from untildone.store.home import prepare, vanishing


class Written(Struct, frozen=True, kw_only=True):
    path: str
    kind: str


class Initialised(Struct, frozen=True, kw_only=True):
    """`automatic` and `diagnostics`: what is wanted from now on."""

    files: tuple[Written, ...]
    notes: tuple[str, ...]
    automatic: bool
    diagnostics: bool


_SWITCHED = {
    (switch.AUTO, True): "switched on: automatic mode",
    (switch.AUTO, False): "switched off: automatic mode",
    (switch.TELL, True): "switched on: diagnostics after each edit",
    (switch.TELL, False): "switched off: diagnostics after each edit",
}


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
@click.option(
    "--auto/--no-auto",
    "auto",
    default=None,
    help="Automatic mode: without a loop, too, hold a turn whose edits brought errors.",
)
@click.option(
    "--diagnostics/--no-diagnostics",
    "tell",
    default=None,
    help="Tell the agent the errors that an edit brought right after it.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be written.")
@project_option
@json_option
def command(*, scope: str, project: Path | None, **given: bool | None) -> None:
    """Install for Claude Code: once per machine, and again after an upgrade.

    Foreign settings are kept as they are; `untildone uninstall` takes out only ours.

    \b
    untildone init --dry-run          says what it would write
    untildone init --scope local      for this project and this person only
    untildone init --auto             holds turns that break what they edit; `--no-auto` ends it
    """
    found = here()
    refuse_in_check(found, "init")
    place = place_of(found, project_of(project))
    plan = plan_init(place, cast(Scope, scope))
    before = switch.read_modes(str(found.home))
    modes = _modes(before, {switch.AUTO: given["auto"], switch.TELL: given["tell"]})
    if not given["dry_run"]:
        prepare(found.home)
        carry_out(place, plan)
        switch.write_modes(str(found.home), modes)
    if given["as_json"]:
        files = tuple(Written(path=str(each.path), kind=each.kind) for each in plan.changes)
        print_json(
            Initialised(
                files=files,
                notes=plan.notes,
                automatic=switch.AUTO in modes,
                diagnostics=switch.TELL in modes,
            )
        )
        return
    switched = tuple(_SWITCHED[mode, mode in modes] for mode in sorted(modes ^ before))
    _told(plan, switched, dry_run=bool(given["dry_run"]))
    lost = vanishing(found.home)
    if lost:
        click.echo(f"note: {found.home} is on {lost} and is gone after a restart", err=True)


def _modes(before: frozenset[str], given: dict[str, bool | None]) -> frozenset[str]:
    """What is not given stays as it is: `init` is run again after an upgrade."""
    chosen = {mode for mode, wanted in given.items() if wanted}
    left = {mode for mode in before if given[mode] is None}
    return frozenset(chosen | left)


def _told(plan: Plan, switched: tuple[str, ...], *, dry_run: bool) -> None:
    for change in plan.changes:
        if change.kind != "unchanged":
            click.echo(f"{'would be ' if dry_run else ''}{change.kind}: {change.path}")
    for line in switched:
        click.echo(f"{'would be ' if dry_run else ''}{line}")
    for note in plan.notes:
        click.echo(f"note: {note}", err=True)
    if not switched and all(change.kind == "unchanged" for change in plan.changes):
        click.echo("everything is in place already")
    elif not dry_run:
        click.echo("next: `untildone drill` proves it; then `/untildone:test` in Claude Code")
