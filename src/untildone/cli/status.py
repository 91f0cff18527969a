"""`untildone status`: what runs, and whether it is really held."""

import time
from pathlib import Path

import click
from msgspec.structs import replace

from untildone.cli.loops import describe_other_loops, list_broken_loops, open_context
from untildone.cli.loops import list_loops as all_records
from untildone.cli.options import json_option, print_json, project_option
from untildone.cli.place import place_of
from untildone.cli.project import find_project
from untildone.cli.terminal_text import fit_headline
from untildone.engine.context import Context
from untildone.engine.hold_status import load_loop_status
from untildone.engine.lost_loops import pause_unindexed_loop
from untildone.features.edits import switch
from untildone.install.health import find_disabled_hooks, find_missing_hooks, find_package_changes
from untildone.install.installation import read_installation
from untildone.report.notices import describe_next_step
from untildone.report.status import LoopStatus, StatusReport, UnreadableLoop


@click.command("status")
@click.option("--all", "everywhere", is_flag=True, help="Every project's, also finished ones.")
@click.option("--watch", is_flag=True, help="Show it again every second.")
@project_option
@json_option
def command(*, everywhere: bool, watch: bool, project: Path | None, as_json: bool) -> None:
    """Show the loops of this project; `--all` those of every project, finished ones too.

    \b
    untildone status
    untildone status --json | jq '.loops[] | select(.held != true)'
    """
    context = open_context()
    while True:
        loops = _find_loops(context, project, everywhere=everywhere)
        _print_status(context, loops, as_json=as_json, places=everywhere)
        if not watch:
            return
        time.sleep(1)
        click.clear()


def _find_loops(
    context: Context, project: Path | None, *, everywhere: bool
) -> tuple[LoopStatus, ...]:
    place = str(find_project(project))
    wanted = [
        pause_unindexed_loop(context, record)
        for record in all_records(context)
        if everywhere or record.contract.project == place
    ]
    # Without `--all`: what is unfinished, and the newest ending, so that a script sees how it went.
    if not everywhere:
        unfinished = [record for record in wanted if record.progress.status != "finished"]
        wanted = unfinished or wanted[:1]
    return tuple(_confirm_held(context, load_loop_status(context, record)) for record in wanted)


def _confirm_held(context: Context, loop: LoopStatus) -> LoopStatus:
    """Hooks that are switched off or gone by now may still be those of a running session."""
    if loop.held is not True:
        return loop
    machine = read_installation(place_of(context, Path(loop.project)), context.environ)
    troubles = (
        trouble
        for check in (find_disabled_hooks, find_missing_hooks, find_package_changes)
        for trouble in check(machine)
    )
    trouble = next(troubles, None)
    return replace(loop, held="unknown", not_held_because=trouble.text) if trouble else loop


def _print_status(
    context: Context, loops: tuple[LoopStatus, ...], *, as_json: bool, places: bool
) -> None:
    unreadable = tuple(
        UnreadableLoop(id=damaged.id, reason=damaged.reason)
        for damaged in list_broken_loops(context)
    )
    automatic = switch.AUTO in switch.read_modes(str(context.home))
    if as_json:
        print_json(StatusReport(loops=loops, unreadable=unreadable, automatic=automatic))
        return
    for damaged in unreadable:
        click.echo(f"loop {damaged.id} cannot be read: {damaged.reason}", err=True)
    if not loops and not unreadable:
        begin = "`untildone start --preset test` begins one"
        click.echo(f"no loop here; {begin}{describe_other_loops(context)}")
    for loop in loops:
        click.echo(_format_loop(loop, place=places))
    if automatic:
        click.echo("automatic mode is on: a turn whose edits bring errors is held, loop or not")


def _format_loop(loop: LoopStatus, *, place: bool) -> str:
    outcome = "" if loop.outcome in (None, loop.status) else f" ({loop.outcome})"
    bound = f" of {loop.max_rounds}" if loop.max_rounds else ", no bound"
    lines = [f"{loop.id}  {loop.status}{outcome}, round {loop.round}{bound}"]
    if loop.reason:
        lines.append(f"  {loop.reason}")
    if place:
        lines.append(f"  project: {loop.project}")
    lines.append(f"  task: {fit_headline(loop.task, indent=len('  task: '))}")
    if loop.unmet:
        lines.append(f"  unmet: {', '.join(loop.unmet)}")
    lines += _format_bounds(loop)
    if loop.status == "active":
        held = "yes" if loop.held is True else f"{loop.held or 'no'}: {loop.not_held_because}"
        lines.append(f"  held: {held}")
    if loop.status == "paused" and loop.outcome:
        lines.append(f"  to go on: {describe_next_step(loop.id, loop.outcome)}")
    lines.append(f"  session: {loop.session}")
    return "\n".join(lines)


def _format_bounds(loop: LoopStatus) -> list[str]:
    spent = "unknown" if loop.spend_usd is None else f"{loop.spend_usd:.2f}"
    bound = f" of {loop.budget_usd:g}" if loop.budget_usd else ""
    unknown = loop.spend_unknown_because if loop.status != "finished" else ""
    because = f" ({unknown})" if unknown else ""
    lines = [f"  spend: {spent}{bound} USD{because}"]
    if loop.max_minutes:
        lines.append(f"  minutes: {loop.minutes:g} of {loop.max_minutes:g}")
    return lines
