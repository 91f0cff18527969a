"""`untildone status`: active loops, and whether their agents are held."""

import time
from collections.abc import Iterator
from pathlib import Path

import click
from msgspec.structs import asdict, replace

from untildone.agents import NAMES
from untildone.cli import loops
from untildone.cli.options import find_project, json_option, print_json, project_option
from untildone.cli.terminal_text import fit_headline
from untildone.engine.context import Context
from untildone.engine.hold_status import load_loop_status
from untildone.engine.lost_loops import pause_unindexed_loop
from untildone.engine.removed_folders import explain_removed_folders
from untildone.engine.stale_loops import STALE_DAYS, find_stale_loops, take_unlisted
from untildone.features.edits import switch
from untildone.install.client_files import find_install_paths
from untildone.install.health import (
    find_disabled_hooks,
    find_missing_hooks,
    find_package_changes,
    find_untrusted_hooks,
)
from untildone.install.installation import read_installation
from untildone.report.notices import describe_next_step
from untildone.report.running_checks import RunningCheck
from untildone.report.status import LoopStatus, StatusReport
from untildone.report.verdict_names import name_outcome

# What keeps the hooks of a running session from judging its next stop.
_HOLD_CHECKS = (
    find_disabled_hooks,
    find_missing_hooks,
    find_untrusted_hooks,
    find_package_changes,
)


@click.command("status")
@click.option(
    "--all", "everywhere", is_flag=True, help="Show the loops of every project, also finished ones."
)
@click.option("--watch", is_flag=True, help="Refresh every second.")
@project_option
@json_option
def status_command(*, everywhere: bool, watch: bool, project: Path | None, as_json: bool) -> None:
    """Show the loops of this project; `--all` shows those of every project.

    In an agent's shell it shows the loops of that session.

    \b
    untildone status
    untildone status --json | jq '.loops[] | select(.held != true)'
    """
    context = loops.open_context()
    while True:
        report = StatusReport(
            loops=_load_loops(context, project, everywhere=everywhere),
            unreadable=tuple(loops.list_broken_loops(context)),
            automatic=switch.AUTO in switch.read_modes(str(context.home)),
        )
        if as_json:
            print_json(report)
        else:
            _print_status(context, report, with_projects=everywhere)
        if not watch:
            return
        time.sleep(1)
        click.clear()


def _load_loops(
    context: Context, project: Path | None, *, everywhere: bool
) -> tuple[LoopStatus, ...]:
    folder = str(find_project(project))
    # In an agent's shell: the loops of its session, as those of others would only confuse it.
    session = "" if project else loops.get_session_id(context)
    records = [
        pause_unindexed_loop(context, record)
        for record in loops.list_loops(context)
        if everywhere
        or (
            context.session_of(record).id == session
            if session
            else record.contract.project == folder
        )
    ]
    # Without `--all`: the unfinished loops, else the newest one, so that a script sees its end.
    if not everywhere:
        unfinished = [record for record in records if record.progress.status != "finished"]
        records = unfinished or records[:1]
    return tuple(_confirm_held(context, load_loop_status(context, record)) for record in records)


def _confirm_held(context: Context, loop: LoopStatus) -> LoopStatus:
    """Return `held` as unknown if the hooks of a running session are disabled or gone by now."""
    if loop.held is not True:
        return loop
    paths = find_install_paths(context, Path(loop.project), agent=loop.agent)
    installation = read_installation(paths, context.environ)
    problems = (problem for check in _HOLD_CHECKS for problem in check(installation))
    problem = next(problems, None)
    return replace(loop, held="unknown", not_held_because=problem.text) if problem else loop


def _print_status(context: Context, report: StatusReport, *, with_projects: bool) -> None:
    for damaged in report.unreadable:
        click.echo(f"loop {damaged.id} cannot be read: {damaged.reason}", err=True)
    if not report.loops and not report.unreadable:
        start = "`untildone start --preset test` starts one"
        place = "session" if loops.get_session_id(context) else "project"
        click.echo(f"no loop in this {place}; {start}{loops.describe_other_loops(context)}")
    stale = [] if with_projects else find_stale_loops(context, loops.list_loops(context))
    forgotten = {record.contract.id for record in stale}
    for loop in [loop for loop in report.loops if loop.id not in forgotten] or report.loops:
        click.echo("\n".join(_format_loop(loop, with_project=with_projects)))
    if report.automatic:
        click.echo(
            "automatic mode is on: turns whose edits bring errors are held, with or without a loop"
        )
    # To the user: an agent may not clean up.
    if loops.get_session_id(context):
        return
    for line in explain_removed_folders(context):
        click.echo(line)
    if unlisted := take_unlisted(context, stale):
        click.echo(f"paused for more than {STALE_DAYS} days; `untildone clean` cancels them:")
        click.echo("\n".join(f"  {loops.format_loop(record)}" for record in unlisted))


def _format_loop(loop: LoopStatus, *, with_project: bool) -> Iterator[str]:
    state = name_outcome(loop.outcome) if loop.outcome else loop.status
    bound = f" of {loop.max_rounds}" if loop.max_rounds else ", no bound"
    yield f"{loop.id}  {state}, round {loop.round}{bound}"
    if loop.questions or loop.reason:
        yield from (f"  {line}" for line in loop.questions or (loop.reason,))
    if with_project:
        yield f"  project: {loop.project}"
    if loop.running:
        yield f"  running: {RunningCheck(**asdict(loop.running))}"
    yield f"  task: {fit_headline(loop.task, indent=len('  task: '))}"
    if loop.unmet:
        yield f"  unmet: {', '.join(loop.unmet)}"
    if loop.ignored_configuration:
        yield f"  {loop.ignored_configuration}"
    yield from _format_bounds(loop)
    if loop.status == "active":
        held = "yes" if loop.held is True else f"{loop.held or 'no'}: {loop.not_held_because}"
        yield f"  held: {held}"
    if loop.status == "paused" and loop.outcome:
        yield f"  to continue: {describe_next_step(loop.id, loop.outcome)}"
    agent = f" of {loop.agent}" if loop.agent != NAMES[0] else ""
    yield f"  session: {loop.session}{agent}"


def _format_bounds(loop: LoopStatus) -> Iterator[str]:
    spent = "unknown" if loop.spend_usd is None else f"{loop.spend_usd:.2f}"
    bound = f" of {loop.budget_usd:g}" if loop.budget_usd else ""
    reason = loop.spend_unknown_because if loop.status != "finished" else ""
    yield f"  spend: {spent}{bound} USD" + (f" ({reason})" if reason else "")
    if loop.max_minutes:
        yield f"  minutes: {loop.minutes:g} of {loop.max_minutes:g}"
