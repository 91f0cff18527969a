"""`untildone start`: starts a loop in an agent's session."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from untildone.agents import AGENTS
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.cli.authority import refuse_in_check
from untildone.cli.check_progress import show_progress
from untildone.cli.loops import open_context
from untildone.cli.options import json_option, print_json, project_option
from untildone.cli.project import find_project
from untildone.cli.sessions import choose_session
from untildone.config.proposals import load_proposals
from untildone.core.check_results import CheckResult
from untildone.core.contract import Speaker
from untildone.engine.artifacts import write_task
from untildone.engine.baseline import save_baseline_results, start_detached_baseline
from untildone.engine.context import Context
from untildone.engine.project_checks import describe_untrusted, find_configured_folder
from untildone.engine.prompt_start import describe_loop
from untildone.engine.request import StartOptions
from untildone.engine.speaker import find_calling_session, is_driven
from untildone.engine.start import begin_loop, is_armed
from untildone.engine.start_options import OPTIONS, Kind, StartOption, build_request
from untildone.errors import UserError
from untildone.features.spec.announcements import describe_start
from untildone.store.loops import Record
from untildone.store.sessions import Session


class StartedLoop(Struct, frozen=True, kw_only=True):
    """What `start --json` prints."""

    id: str
    session: str
    armed: bool
    checks: tuple[str, ...]
    red_at_start: tuple[str, ...] | None
    unrunnable_at_start: tuple[str, ...]


_TYPES: dict[Kind, Any] = {
    "integer": int,
    "number": float,
    "folder": click.Path(exists=True, file_okay=False, path_type=Path),
    "file": click.Path(path_type=Path),
}


def _add_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(OPTIONS):
        command = _click_option(option)(command)
    return command


def _click_option(option: StartOption) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    spellings = [*option.spellings[:-1], f"{option.spellings[-1]}/{option.off}".rstrip("/")]
    kind: dict[str, Any] = {"type": _TYPES.get(option.kind)}
    if option.kind == "flag":
        kind = {"is_flag": True, "default": None if option.off else False}
    elif option.kind == "choice":
        kind = {"type": click.Choice(option.choices)}
    elif option.kind == "text" and not option.repeatable:
        kind = {"default": ""}
    return click.option(
        *spellings,
        option.name,
        metavar=option.metavar,
        multiple=option.repeatable,
        show_default=option.default or None,
        help=option.help,
        **kind,
    )


@click.command("start")
@click.argument("argument", required=False, default="", metavar="[ARG]")
@_add_options
@click.option(
    "--session",
    metavar="ID",
    help="The agent's session, if not that of this shell or the only live one of this project.",
)
@click.option(
    "--agent",
    type=click.Choice(sorted(AGENTS)),
    default="claude",
    show_default=True,
    help="The agent of the session.",
)
@project_option
@json_option
def command(*, project: Path | None, as_json: bool, agent: str, **given: Any) -> None:  # noqa: ANN401  click's own values
    """Start a loop: the agent is held at each stop until the criteria are met.

    \b
    untildone start --preset test
    untildone start --template coverage-to 80
    untildone start --check "npm test" --task "Port the parser" --rounds 20
    untildone start --preset fix --zero-warnings --target src/services
    untildone start --promise "ALL PAGES WRITTEN" --then fix-tests
    untildone start --from-todos
    untildone start --check "make e2e" --criterion "docs describe it=review"
    """
    context = open_context(agent)
    folder = find_configured_folder(find_project(project))
    session = choose_session(context, given["session"], folder)
    by_agent = is_agent_calling(context, session)
    record = start_loop(context, folder, given, session=session.id, by_agent=by_agent)
    record, results = run_baseline_checks(context, record, detached=by_agent)
    print_started(context, record, results, as_json=as_json)


def start_loop(
    context: Context, project: Path, given: dict[str, Any], *, session: str, by_agent: bool
) -> Record:
    """Start the loop that the options describe, and print its warnings."""
    by: Speaker = "agent" if by_agent else "user"
    request = build_request(context, _read_options(given), session=session, project=project, by=by)
    record = begin_loop(context, request)
    ignored = "" if given["checks"] else describe_untrusted(context, load_proposals(project))
    for line in filter(None, (*record.warnings, ignored)):
        click.echo(line, err=True)
    write_task(project, record.contract)
    return record


def _read_options(given: dict[str, Any]) -> StartOptions:
    name, argument = given["template"], given["argument"]
    if argument and not name:
        raise UserError(
            f"`{argument}` is an argument without a template",
            hint='give a task with `--task "TEXT"`',
        )
    values = {option.name: given[option.name] for option in OPTIONS}
    values["template"] = f"{name} {argument}"
    return StartOptions(**{name: value for name, value in values.items() if value is not None})


def is_agent_calling(context: Context, session: Session) -> bool:
    """Whether an agent runs this command; an agent may start a loop in its own session only."""
    caller = find_calling_session(context.agent, str(context.home))
    if caller is None or not is_driven(caller):
        # The agent of a headless run may start loops while the checks of another task run.
        refuse_in_check(context, "start")
    if caller and caller.id != session.id:
        raise UserError(f"`{session.id}` is another session", hint="leave out `--session`")
    return caller is not None


def run_baseline_checks(
    context: Context, record: Record, *, detached: bool
) -> tuple[Record, tuple[CheckResult, ...]]:
    """Run the checks of the baseline: at once for a user, in a detached process for an agent."""
    checks = [check for check in record.contract.checks if check.when == "round"]
    if not checks:
        return record, ()
    if detached:
        start_detached_baseline(context, record)
        return record, ()
    with show_progress(checks) as report:
        results = run_checks(
            checks, RunOptions(project=Path(record.contract.project)), report=report
        )
    return save_baseline_results(context, record.contract.id, results), results


def print_started(
    context: Context,
    record: Record,
    results: tuple[CheckResult, ...],
    *,
    as_json: bool,
    extend: Callable[[StartedLoop], object] = lambda started: started,
) -> None:
    unrunnable = [result for result in results if result.outcome == "unrunnable"]
    started = StartedLoop(
        id=record.contract.id,
        session=record.contract.session,
        armed=is_armed(context, record),
        checks=tuple(check.command for check in record.contract.checks),
        red_at_start=record.progress.checks_seen_red if record.progress.baseline else None,
        unrunnable_at_start=tuple(result.name for result in unrunnable),
    )
    for result in unrunnable:
        click.echo(f"`{result.name}` cannot be run: {result.reason}", err=True)
    if as_json:
        print_json(extend(started))
        return
    click.echo("\n".join((describe_loop(record), *describe_start(context, record))))
    if started.red_at_start == () and record.contract.done_when == "checks":
        names = ", ".join(f"`{name}`" for name in started.unrunnable_at_start)
        red = f"{names} cannot be run, and nothing else is red" if names else "nothing is red"
        click.echo(f"{red}, so green proves nothing: the agent must also say that it is done")
    if started.armed:
        click.echo("armed: the hooks of this session run")
    else:
        click.echo(
            "not armed yet: no hook of this session has run; `untildone doctor` tells why",
            err=True,
        )
