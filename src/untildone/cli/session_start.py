"""How `start`, `import` and `plan start` start a loop in an agent's session, and say so."""

import os
from pathlib import Path

import click
from msgspec import Struct, to_builtins

from untildone.agents.registry import AGENTS
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.cli.authority import refuse_in_check
from untildone.cli.check_progress import show_progress
from untildone.cli.loops import get_session_id
from untildone.cli.options import print_json
from untildone.core.check_results import CheckResult
from untildone.core.contract import Speaker
from untildone.core.proof import describe_needed_proof
from untildone.engine.baseline_results import (
    open_history,
    save_baseline_results,
    select_round_checks,
    start_detached_baseline,
)
from untildone.engine.context import Context
from untildone.engine.loop_start import is_armed
from untildone.engine.prompt_start import describe_loop
from untildone.engine.sandbox_trial import start_detached_trial
from untildone.engine.speaker import find_calling_session, is_driven
from untildone.errors import UserError
from untildone.features.spec.announcements import describe_start
from untildone.process.runner import is_alive
from untildone.store.loops import Record
from untildone.store.sessions import Session, list_sessions

session_option = click.option(
    "--session",
    metavar="ID",
    help="The agent's session, if not that of this shell or the only live one of this project.",
)
agent_option = click.option(
    "--agent",
    type=click.Choice(sorted(AGENTS)),
    help="The agent of the session, if it is not the one whose shell this is; else Claude Code.",
)


class StartedLoop(Struct, frozen=True, kw_only=True):
    """What `start --json` prints."""

    id: str
    session: str
    armed: bool
    checks: tuple[str, ...]
    red_at_start: tuple[str, ...] | None
    unrunnable_at_start: tuple[str, ...]
    # Checks that `--without` or `skip = true` leaves out.
    left_out: tuple[str, ...] = ()


def choose_session(context: Context, session: str | None, project: Path) -> tuple[Session, Speaker]:
    """Return the session in which to start a loop, and who is asking for it."""
    chosen = _find_session(context, session, project)
    caller = find_calling_session(str(context.home))
    if caller is None or not is_driven(caller):
        # The agent of a headless run may start loops while the checks of another task run.
        refuse_in_check(context, "start")
    if caller and caller.id != chosen.id:
        raise UserError(f"`{chosen.id}` is another session", hint="leave out `--session`")
    return chosen, "agent" if caller else "user"


def _find_session(context: Context, session: str | None, project: Path) -> Session:
    """Return the session named, that of this shell, or the only live one of this project."""
    name = get_session_id(context) if session is None else session
    if name or session is not None:
        return context.session(name)
    sessions = list_sessions(os.fspath(context.home), context.agent.NAME)
    live = [candidate for candidate in sessions if _is_live_in(candidate, project)]
    if len(live) == 1:
        return live[0]
    if live:
        ids = ", ".join(f"`{candidate.id}`" for candidate in live)
        raise UserError(
            f"this project has several sessions: {ids}", hint="name one with `--session ID`"
        )
    raise UserError(
        f"there is no live session of {context.agent.NAME} in `{project}`",
        hint="start the agent here first (after `untildone init`), or name one with `--session ID`",
    )


def _is_live_in(session: Session, project: Path) -> bool:
    fields = session.read_json("session.json")
    process, folder = str(fields.get("process", "")), str(fields.get("project", ""))
    is_live = process.isdecimal() and is_alive(int(process)) and not session.has("ended.json")
    return is_live and bool(folder) and os.path.realpath(folder) == os.path.realpath(project)


def run_baseline_checks(
    context: Context, record: Record, *, detached: bool
) -> tuple[Record, tuple[CheckResult, ...]]:
    """Run the checks of the baseline: at once for a user, in a detached process for an agent."""
    checks = select_round_checks(record.contract)
    if not checks:
        return record, ()
    if detached:
        start_detached_baseline(context, record)
        return record, ()
    start_detached_trial(context, record)
    history = open_history(context, record.contract)
    options = RunOptions(project=Path(record.contract.project), history=history)
    with show_progress(checks) as report:
        results = run_checks(checks, options, report=report)
    return save_baseline_results(context, record.contract.id, results), results


def finish_start(
    context: Context, record: Record, by: Speaker, *, as_json: bool, **more: object
) -> None:
    """Run the checks of the baseline and print the started loop; `more` is added to the JSON."""
    record, results = run_baseline_checks(context, record, detached=by == "agent")
    unrunnable = [result for result in results if result.outcome == "unrunnable"]
    started = StartedLoop(
        id=record.contract.id,
        session=record.contract.session,
        armed=is_armed(context, record),
        checks=tuple(check.command for check in record.contract.checks),
        red_at_start=record.progress.checks_seen_red if record.progress.baseline else None,
        unrunnable_at_start=tuple(result.name for result in unrunnable),
        left_out=tuple(entry.name for entry in record.contract.left_out),
    )
    # The others were named before, with the command that installs their tool.
    known = {missing.name for missing in record.contract.missing_tools}
    for result in (result for result in unrunnable if result.name not in known):
        click.echo(f"`{result.name}` cannot be run: {result.reason}", err=True)
    if as_json:
        print_json({**to_builtins(started), **more})
        return
    click.echo("\n".join((describe_loop(record), *describe_start(context, record))))
    if started.red_at_start == ():
        click.echo(describe_needed_proof(record.contract, results))
    if started.armed:
        click.echo("armed: the hooks of this session run")
    else:
        click.echo(
            "not armed yet: no hook of this session has run; `untildone doctor` says why",
            err=True,
        )
