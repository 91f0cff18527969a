"""`untildone status`: active loops, and whether their agents are held."""

import time
from pathlib import Path

import click
from msgspec.structs import replace

from untildone.cli.loops import describe_other_loops, list_broken_loops, open_context
from untildone.cli.loops import list_loops as all_records
from untildone.cli.options import json_option, print_json, project_option
from untildone.cli.project import find_project
from untildone.cli.terminal_text import fit_headline
from untildone.engine.context import Context
from untildone.engine.hold_status import load_loop_status
from untildone.engine.lost_loops import pause_unindexed_loop
from untildone.features.edits import switch
from untildone.install.claude import find_install_paths
from untildone.install.health import find_disabled_hooks, find_missing_hooks, find_package_changes
from untildone.install.installation import read_installation
from untildone.report.notices import describe_next_step
from untildone.report.status import LoopStatus, StatusReport, UnreadableLoop


@click.command("status")
@click.option(
    "--all", "everywhere", is_flag=True, help="Show the loops of every project, also finished ones."
)
@click.option("--watch", is_flag=True, help="Refresh every second.")
@project_option
@json_option
def command(*, everywhere: bool, watch: bool, project: Path | None, as_json: bool) -> None:
    """Show the loops of this project; `--all` shows those of every project.

    \b
    untildone status
    untildone status --json | jq '.loops[] | select(.held != true)'
    """
    context = open_context()
    while True:
        loops = _find_loops(context, project, everywhere=everywhere)
        _print_status(context, loops, as_json=as_json, with_projects=everywhere)
        if not watch:
            return
        time.sleep(1)
        click.clear()


def _find_loops(
    context: Context, project: Path | None, *, everywhere: bool
) -> tuple[LoopStatus, ...]:
    folder = str(find_project(project))
    wanted = [
        pause_unindexed_loop(context, record)
        for record in all_records(context)
        if everywhere or record.contract.project == folder
    ]
    # Without `--all`: the unfinished loops, else the newest one, so that a script sees its end.
    if not everywhere:
        unfinished = [record for record in wanted if record.progress.status != "finished"]
        wanted = unfinished or wanted[:1]
    return tuple(_confirm_held(context, load_loop_status(context, record)) for record in wanted)


def _confirm_held(context: Context, loop: LoopStatus) -> LoopStatus:
    """A running session may still use hooks that are disabled or gone by now: held is unknown."""
    if loop.held is not True:
        return loop
    installation = read_installation(
        find_install_paths(context.environ, home=context.home, project=Path(loop.project)),
        context.environ,
    )
    problems = (
        problem
        for check in (find_disabled_hooks, find_missing_hooks, find_package_changes)
        for problem in check(installation)
    )
    problem = next(problems, None)
    return replace(loop, held="unknown", not_held_because=problem.text) if problem else loop


def _print_status(
    context: Context, loops: tuple[LoopStatus, ...], *, as_json: bool, with_projects: bool
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
        start = "`untildone start --preset test` starts one"
        click.echo(f"no loop in this project; {start}{describe_other_loops(context)}")
    for loop in loops:
        click.echo(_format_loop(loop, with_project=with_projects))
    if automatic:
        click.echo(
            "automatic mode is on: turns whose edits bring errors are held, with or without a loop"
        )


def _format_loop(loop: LoopStatus, *, with_project: bool) -> str:
    outcome = "" if loop.outcome in (None, loop.status) else f" ({loop.outcome})"
    bound = f" of {loop.max_rounds}" if loop.max_rounds else ", no bound"
    lines = [f"{loop.id}  {loop.status}{outcome}, round {loop.round}{bound}"]
    if loop.reason:
        lines.append(f"  {loop.reason}")
    if with_project:
        lines.append(f"  project: {loop.project}")
    lines.append(f"  task: {fit_headline(loop.task, indent=len('  task: '))}")
    if loop.unmet:
        lines.append(f"  unmet: {', '.join(loop.unmet)}")
    lines += _format_bounds(loop)
    if loop.status == "active":
        held = "yes" if loop.held is True else f"{loop.held or 'no'}: {loop.not_held_because}"
        lines.append(f"  held: {held}")
    if loop.status == "paused" and loop.outcome:
        lines.append(f"  to continue: {describe_next_step(loop.id, loop.outcome)}")
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
