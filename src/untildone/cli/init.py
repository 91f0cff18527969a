"""`untildone init` and `uninstall`: hooks, slash commands and status line of the client."""

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import cast, get_args

import click
from msgspec import Struct

from untildone.agents import NAMES
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

    agents: tuple[str, ...]
    files: tuple[WrittenFile, ...]
    notes: tuple[str, ...]
    automatic: bool
    diagnostics: bool


class UninstallReport(Struct, frozen=True, kw_only=True):
    """What `uninstall --json` prints."""

    files: tuple[WrittenFile, ...]
    paused: tuple[str, ...]


_ALL = "all"
_MODES = {switch.AUTO: "automatic mode", switch.TELL: "diagnostics after each edit"}


@click.command("init")
@click.option(
    "--agent",
    "agents",
    multiple=True,
    type=click.Choice((*NAMES, _ALL)),
    help="The agent to install for; without it, those that are found on this machine.",
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
def init_command(
    *, agents: tuple[str, ...], scope: str, project: Path | None, **values: bool | None
) -> None:
    """Install for your agents: once per machine, and again after an upgrade.

    Your other settings stay as they are; `untildone uninstall` removes only what this adds.

    \b
    untildone init --dry-run          print what it would write
    untildone init --agent codex      for Codex alone; `--agent all` for every agent we know
    untildone init --scope local      for you in this project only
    untildone init --scope project    for your team: names no path of this machine
    untildone init --auto             hold turns whose edits bring errors; `--no-auto` ends it
    """
    context = open_context()
    refuse_in_check(context, "init")
    names = _choose_agents(context, agents, scope)
    folder = options.find_project(project)
    paths = [client_files.find_install_paths(context, folder, agent=name) for name in names]
    plans = [client_files.plan_init(place, cast(Scope, scope)) for place in paths]
    before = switch.read_modes(str(context.home))
    modes = _choose_modes(before, {switch.AUTO: values["auto"], switch.TELL: values["tell"]})
    if not values["dry_run"]:
        prepare_home(context.home)
        for place, plan in zip(paths, plans, strict=True):
            client_files.apply_plan(place, plan)
        switch.write_modes(str(context.home), modes)
    if values["as_json"]:
        options.print_json(_make_report(names, plans, modes))
        return
    _print_plans(plans, _describe_switched(before, modes), dry_run=bool(values["dry_run"]))
    if scope == "project" and not values["dry_run"]:
        _say_how_to_share(names)
    _warn_of_volatile_state(context.home)


def _make_report(
    names: tuple[str, ...], plans: list[client_files.InstallPlan], modes: frozenset[str]
) -> InitReport:
    return InitReport(
        agents=names,
        files=_list_written(change for plan in plans for change in plan.changes),
        notes=tuple(note for plan in plans for note in plan.notes),
        automatic=switch.AUTO in modes,
        diagnostics=switch.TELL in modes,
    )


def _describe_switched(before: frozenset[str], modes: frozenset[str]) -> list[str]:
    return [
        f"switched {'on' if mode in modes else 'off'}: {_MODES[mode]}"
        for mode in sorted(modes ^ before)
    ]


def _say_how_to_share(agents: tuple[str, ...]) -> None:
    folders = " and ".join(f"`{AGENTS[name].LAYOUT.get_project_folder()}`" for name in agents)
    click.echo(
        f"to share it, commit {folders}; who has no untildone sees one line in a new session"
    )


def _choose_agents(context: Context, wanted: tuple[str, ...], scope: str) -> tuple[str, ...]:
    """Return the agents to install for: those named, else those found here, else Claude Code."""
    if _ALL in wanted:
        return tuple(name for name in NAMES if scope in AGENTS[name].LAYOUT.files)
    if wanted:
        return tuple(dict.fromkeys(wanted))
    installed = {file.agent for file in manifest.read(context.home)}
    path = context.environ.get("PATH")
    found = tuple(
        name
        for name, agent in AGENTS.items()
        if scope in agent.LAYOUT.files
        and (name in installed or shutil.which(agent.LAYOUT.program, path=path))
    )
    return found or NAMES[:1]


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


def _print_plans(
    plans: list[client_files.InstallPlan], switched: list[str], *, dry_run: bool
) -> None:
    layouts = [AGENTS[plan.installed.agent].LAYOUT for plan in plans]
    click.echo(f"for {', '.join(layout.title for layout in layouts)}")
    changes = [change for plan in plans for change in plan.changes if change.kind != "unchanged"]
    for line in (*(f"{change.kind}: {change.path}" for change in changes), *switched):
        click.echo(f"{'would be ' if dry_run else ''}{line}")
    for note in (note for plan in plans for note in plan.notes):
        click.echo(f"note: {note}", err=True)
    for layout in (layout for layout in layouts if layout.caveat):
        click.echo(f"note: {layout.title}: {layout.caveat}")
    if not switched and not changes:
        click.echo("everything is installed already")
    elif not dry_run:
        for step in (layout.next_step for layout in layouts if layout.next_step):
            click.echo(f"next: {step}")
        click.echo(
            "next: run `untildone drill` to prove it, then type"
            f" `{layouts[0].name_command('test')}` in {layouts[0].title}"
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
    folder = options.find_project(project)
    changes = [
        change
        for file in installed
        for change in client_files.uninstall(
            client_files.find_install_paths(context, folder, agent=file.agent), file
        )
    ]
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
