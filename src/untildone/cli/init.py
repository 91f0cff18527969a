"""`untildone init` and `uninstall`: hooks, slash commands and status line of the client."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import cast, get_args

import click
from msgspec import Struct

from untildone.agents.layout import Scope
from untildone.agents.registry import AGENTS
from untildone.cli import options
from untildone.cli.authority import refuse_in_check, require_user_of_machine
from untildone.cli.loops import list_loops, open_context
from untildone.engine import verbs
from untildone.engine.context import Context
from untildone.features.edits import switch
from untildone.install import client_files, manifest
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


class UninstallReport(Struct, frozen=True, kw_only=True):
    """What `uninstall --json` prints."""

    files: tuple[WrittenFile, ...]
    paused: tuple[str, ...]


_MODES = {switch.AUTO: "automatic mode", switch.TELL: "diagnostics after each edit"}


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
    help="Automatic mode: hold a turn whose edits bring errors, also without a loop.",
)
@click.option(
    "--diagnostics/--no-diagnostics",
    "tell",
    default=None,
    help="Show the agent the errors of an edit right after it.",
)
@click.option("--dry-run", is_flag=True, help="Only print what would be written.")
@options.project_option
@options.json_option
def init_command(*, scope: str, project: Path | None, **values: bool | None) -> None:
    """Install for Claude Code: once per machine, and again after an upgrade.

    Your other settings stay as they are; `untildone uninstall` removes only what this adds.

    \b
    untildone init --dry-run          print what it would write
    untildone init --scope local      for you in this project only
    untildone init --scope project    for your team: names no path of this machine
    untildone init --auto             hold turns whose edits bring errors; `--no-auto` ends it
    """
    context = open_context()
    refuse_in_check(context, "init")
    paths = client_files.find_install_paths(context, options.find_project(project))
    plan = client_files.plan_init(paths, cast(Scope, scope))
    before = switch.read_modes(str(context.home))
    modes = _choose_modes(before, {switch.AUTO: values["auto"], switch.TELL: values["tell"]})
    if not values["dry_run"]:
        prepare_home(context.home)
        client_files.apply_plan(paths, plan)
        switch.write_modes(str(context.home), modes)
    if values["as_json"]:
        report = InitReport(
            files=_list_written(plan.changes),
            notes=plan.notes,
            automatic=switch.AUTO in modes,
            diagnostics=switch.TELL in modes,
        )
        options.print_json(report)
        return
    switched = [
        f"switched {'on' if mode in modes else 'off'}: {_MODES[mode]}"
        for mode in sorted(modes ^ before)
    ]
    _print_plan(plan, switched, dry_run=bool(values["dry_run"]))
    if scope == "project" and not values["dry_run"]:
        click.echo(
            "to share it, commit `.claude`; who has no untildone sees one line in a new session"
        )
    _warn_of_volatile_state(context.home)


def _choose_modes(before: frozenset[str], wanted: Mapping[str, bool | None]) -> frozenset[str]:
    """Return the modes that are on; those without an option stay as they are.

    `init` is run again after an upgrade, mostly without options.
    """
    return frozenset(mode for mode, on in wanted.items() if on or (on is None and mode in before))


def _warn_of_volatile_state(home: Path) -> None:
    volatile = find_volatile_file_system(home)
    if volatile:
        click.echo(f"note: {home} is on {volatile} and is gone after a restart", err=True)


def _list_written(changes: Iterable[client_files.FileChange]) -> tuple[WrittenFile, ...]:
    return tuple(WrittenFile(path=str(change.path), kind=change.kind) for change in changes)


def _print_plan(plan: client_files.InstallPlan, switched: list[str], *, dry_run: bool) -> None:
    changed = [change for change in plan.changes if change.kind != "unchanged"]
    for line in (*(f"{change.kind}: {change.path}" for change in changed), *switched):
        click.echo(f"{'would be ' if dry_run else ''}{line}")
    for note in plan.notes:
        click.echo(f"note: {note}", err=True)
    if not switched and not changed:
        click.echo("everything is installed already")
    elif not dry_run:
        click.echo(
            "next: run `untildone drill` to prove it, then type `/untildone:test` in Claude Code"
        )


@click.command("uninstall")
@options.project_option
@options.json_option
def uninstall_command(project: Path | None, *, as_json: bool) -> None:
    """Remove what `init` wrote, wherever it wrote it; your loops and receipts stay.

    It pauses active loops first, because no hook would hold their agents any more.

    \b
    untildone uninstall
    """
    context = open_context()
    require_user_of_machine(context, "uninstall")
    installed = manifest.read(context.home)
    paused = _pause_all(context) if installed else ()
    paths = client_files.find_install_paths(context, options.find_project(project))
    changes = [change for file in installed for change in client_files.uninstall(paths, file)]
    switch.write_modes(str(context.home), frozenset())
    report = UninstallReport(
        files=_list_written(change for change in changes if change.kind != "unchanged"),
        paused=paused,
    )
    end = f"kept: {context.home} (loops and receipts)" if installed else "nothing is installed"
    lines = [
        *(f"paused: loop {loop}" for loop in paused),
        *(f"{file.kind}: {file.path}" for file in report.files),
    ]
    options.print_report(report, [*lines, end], as_json=as_json)


def _pause_all(context: Context) -> tuple[str, ...]:
    """Pause all active loops and return their ids: without hooks no agent is held."""
    active = [record for record in list_loops(context) if record.progress.status == "active"]
    for record in active:
        verbs.pause(context, record.contract.id, "untildone was uninstalled")
    return tuple(record.contract.id for record in active)
