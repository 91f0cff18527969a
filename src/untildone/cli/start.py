"""`untildone start`: begin a loop in an agent's session."""

from pathlib import Path
from typing import Any, cast, get_args

import click
from msgspec import Struct

from untildone.agents import AGENTS
from untildone.checks.runner import run_checks
from untildone.cli.options import here, json_option, print_json, project_of, project_option
from untildone.cli.progress import watching
from untildone.cli.sessions import chosen_session
from untildone.errors import UserError
from untildone.judge.baseline import begin_detached, record_start
from untildone.judge.context import Context
from untildone.judge.launch import summary
from untildone.judge.papers import write_task
from untildone.judge.speaker import called_by_agent
from untildone.judge.speech import PRESETS
from untildone.judge.start import Request, armed, begin, named
from untildone.loop.model import Bounds, Claim, Rule, Verification
from untildone.store.loops import Record


class Started(Struct, frozen=True, kw_only=True):
    """What `start --json` prints."""

    id: str
    session: str
    armed: bool
    checks: tuple[str, ...]
    red_at_start: tuple[str, ...] | None


_BOUNDS = Bounds()


@click.command("start")
@click.option("--preset", type=click.Choice(PRESETS), help="Which checks, and a default task.")
@click.option("--task", default="", help="What the agent is to do; repeated to it each round.")
@click.option("--check", "checks", multiple=True, metavar="CMD", help="A check; may be repeated.")
@click.option("--success-pattern", default="", metavar="RE", help="Must match the output.")
@click.option("--failure-pattern", default="", metavar="RE", help="Must not match the output.")
@click.option("--promise", "promises", multiple=True, metavar="TEXT", help="Said when done.")
@click.option(
    "--criterion", "claims", multiple=True, metavar="NAME[=VERIFICATION]", help="Only claimed."
)
@click.option("--must-not", multiple=True, metavar="CMD", help="Pauses the loop if it exits 0.")
@click.option("--done-when", type=click.Choice(get_args(Rule)), help="The exit rule.")
@click.option("--rounds", "--iterations", "--max-iterations", type=int, default=_BOUNDS.rounds)
@click.option("--budget", type=float, default=_BOUNDS.budget_usd, metavar="USD")
@click.option("--minutes", type=float, default=0)
@click.option("--round-minutes", type=float, default=0)
@click.option("--stagnation-limit", type=int, help="Rounds without movement; 0 is off.")
@click.option("--allow", multiple=True, metavar="KIND:PATH[:DETAIL]", help="Allowed beforehand.")
@click.option("--session", metavar="ID", help="The agent's session.")
@click.option("--agent", type=click.Choice(sorted(AGENTS)), default="claude")
@project_option
@json_option
def command(*, project: Path | None, as_json: bool, agent: str, **given: Any) -> None:  # noqa: ANN401  click's own values
    """Start a loop: the agent is held at each stop until its criteria are met.

    \b
    untildone start --preset test
    untildone start --check "npm test" --task "Port the parser" --rounds 20
    untildone start --promise "ALL PAGES WRITTEN"
    """
    found = here(agent)
    place = project_of(project)
    session = chosen_session(found, given["session"], place)
    by_agent = called_by_agent(found.agent, session)
    record = begin(found, _request(given, session=session.id, project=place, by_agent=by_agent))
    write_task(place, record.contract)
    record = _baseline(found, record, detached=by_agent)
    _told(found, record, as_json=as_json)


def _request(given: dict[str, Any], *, session: str, project: Path, by_agent: bool) -> Request:
    return Request(
        session=session,
        project=project,
        preset=given["preset"] or "",
        task=given["task"],
        checks=named(
            given["checks"], success=given["success_pattern"], failure=given["failure_pattern"]
        ),
        promises=given["promises"],
        claims=tuple(_claim(text) for text in given["claims"]),
        must_not=given["must_not"],
        done_when=cast(Rule | None, given["done_when"]),
        bounds=_bounds(given),
        allow=given["allow"],
        by="agent" if by_agent else "person",
    )


def _bounds(given: dict[str, Any]) -> Bounds:
    for name in ("rounds", "budget", "minutes", "round_minutes", "stagnation_limit"):
        if given[name] is not None and given[name] < 0:
            option = name.replace("_", "-")
            raise UserError(f"`--{option} {given[name]}` is below zero", hint="0 is no bound")
    return Bounds(
        rounds=given["rounds"],
        budget_usd=given["budget"],
        minutes=given["minutes"],
        round_minutes=given["round_minutes"],
        stagnation=given["stagnation_limit"],
    )


def _claim(text: str) -> Claim:
    name, _, kind = text.rpartition("=")
    if name and kind in get_args(Verification):
        return Claim(name=name, verification=cast(Verification, kind))
    return Claim(name=text)


def _baseline(found: Context, record: Record, *, detached: bool) -> Record:
    """What is red now: at once for the person who waits, behind the agent's back otherwise."""
    checks = [check for check in record.contract.checks if check.when == "round"]
    if not checks:
        return record
    if detached:
        begin_detached(found, record)
        return record
    with watching(checks) as report:
        results = run_checks(
            checks, project=Path(record.contract.project), log_folder=None, report=report
        )
    return record_start(found, record.contract.id, results)


def _told(found: Context, record: Record, *, as_json: bool) -> None:
    progress = record.progress
    red = None if progress.start_failures is None else progress.seen_red
    if as_json:
        print_json(
            Started(
                id=record.contract.id,
                session=record.contract.session,
                armed=armed(found, record),
                checks=tuple(check.command for check in record.contract.checks),
                red_at_start=red,
            )
        )
        return
    click.echo(summary(record))
    if red == () and record.contract.done_when == "checks":
        click.echo("everything passes already: the agent must also say that it is done")
    if armed(found, record):
        click.echo("armed: hooks of this session were seen")
    else:
        click.echo(
            "not armed yet: no hook of this session was seen; `untildone doctor` tells why",
            err=True,
        )
