"""`untildone init`: install hooks, slash commands and status line."""

from pathlib import Path
from typing import cast, get_args

import click
from msgspec import Struct

from untildone.agents import AGENTS
from untildone.cli.authority import refuse_in_check
from untildone.cli.loops import open_context
from untildone.cli.options import json_option, print_json, project_option
from untildone.cli.project import find_project
from untildone.features.edits import switch
from untildone.install.claude import InstallPlan, Scope, apply_plan, find_install_paths, plan_init
from untildone.store.home import find_volatile_file_system, prepare_home


class WrittenFile(Struct, frozen=True, kw_only=True):
    path: str
    kind: str


class InitReport(Struct, frozen=True, kw_only=True):
    """`automatic` and `diagnostics` say which modes are on from now on."""

    files: tuple[WrittenFile, ...]
    notes: tuple[str, ...]
    automatic: bool
    diagnostics: bool


_SWITCH_MESSAGES = {
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
    help="The agent to install for; so far there is only Claude Code.",
)
@click.option(
    "--scope",
    type=click.Choice(get_args(Scope)),
    default="user",
    show_default=True,
    help="The settings file of the client to write to.",
)
@click.option(
    "--auto/--no-auto",
    "auto",
    default=None,
    help="Automatic mode: also without a loop, hold a turn whose edits bring errors.",
)
@click.option(
    "--diagnostics/--no-diagnostics",
    "tell",
    default=None,
    help="Show the agent the errors of an edit right after it.",
)
@click.option("--dry-run", is_flag=True, help="Only print what would be written.")
@project_option
@json_option
def command(*, scope: str, project: Path | None, **given: bool | None) -> None:
    """Install for Claude Code: once per machine, and again after an upgrade.

    Other settings stay as they are; `untildone uninstall` removes only ours.

    \b
    untildone init --dry-run          print what it would write
    untildone init --scope local      for you in this project only
    untildone init --auto             hold turns whose edits bring errors; `--no-auto` ends it
    """
    context = open_context()
    refuse_in_check(context, "init")
    paths = find_install_paths(context.environ, home=context.home, project=find_project(project))
    plan = plan_init(paths, cast(Scope, scope))
    before = switch.read_modes(str(context.home))
    modes = _choose_modes(before, {switch.AUTO: given["auto"], switch.TELL: given["tell"]})
    if not given["dry_run"]:
        prepare_home(context.home)
        apply_plan(paths, plan)
        switch.write_modes(str(context.home), modes)
    if given["as_json"]:
        files = tuple(WrittenFile(path=str(each.path), kind=each.kind) for each in plan.changes)
        print_json(
            InitReport(
                files=files,
                notes=plan.notes,
                automatic=switch.AUTO in modes,
                diagnostics=switch.TELL in modes,
            )
        )
        return
    switched = tuple(_SWITCH_MESSAGES[mode, mode in modes] for mode in sorted(modes ^ before))
    _print_plan(plan, switched, dry_run=bool(given["dry_run"]))
    volatile = find_volatile_file_system(context.home)
    if volatile:
        text = f"note: {context.home} is on {volatile} and is gone after a restart"
        click.echo(text, err=True)


def _choose_modes(before: frozenset[str], given: dict[str, bool | None]) -> frozenset[str]:
    """Modes that are not given stay as they are, because `init` is run again after an upgrade."""
    chosen = {mode for mode, wanted in given.items() if wanted}
    unchanged = {mode for mode in before if given[mode] is None}
    return frozenset(chosen | unchanged)


def _print_plan(plan: InstallPlan, switched: tuple[str, ...], *, dry_run: bool) -> None:
    for change in plan.changes:
        if change.kind != "unchanged":
            click.echo(f"{'would be ' if dry_run else ''}{change.kind}: {change.path}")
    for line in switched:
        click.echo(f"{'would be ' if dry_run else ''}{line}")
    for note in plan.notes:
        click.echo(f"note: {note}", err=True)
    if not switched and all(change.kind == "unchanged" for change in plan.changes):
        click.echo("everything is installed already")
    elif not dry_run:
        click.echo(
            "next: run `untildone drill` to prove it, then type `/untildone:test` in Claude Code"
        )
