"""`untildone start`: begin a loop in an agent's session."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast, get_args

import click
from msgspec import Struct
from msgspec.structs import replace

from untildone.agents import AGENTS
from untildone.checks import security
from untildone.checks.runner import RunOptions, run_checks
from untildone.cli.options import (
    here,
    json_option,
    print_json,
    project_of,
    project_option,
    refuse_in_check,
)
from untildone.cli.progress import watching
from untildone.cli.sessions import chosen_session
from untildone.config import load_proposals
from untildone.core.model import Bounds, Check, CheckResult, Reversibility, Rule
from untildone.engine.artifacts import write_task
from untildone.engine.baseline import begin_detached, record_start
from untildone.engine.context import Context
from untildone.engine.phrases import PRESETS
from untildone.engine.project_checks import governed, trusted, untrusted
from untildone.engine.prompt_start import summary
from untildone.engine.speaker import calling_session, driven
from untildone.engine.start import ALLOWABLE, Request, armed, begin, named
from untildone.errors import UserError
from untildone.features.counts.start import counts_named, targets_in
from untildone.features.spec.start import told_at_start
from untildone.features.templates.templates import Plan, claim, known, plan
from untildone.features.todos.lists import listed, todos_wanted
from untildone.store.loops import Record
from untildone.store.sessions import Session


class Started(Struct, frozen=True, kw_only=True):
    """What `start --json` prints."""

    id: str
    session: str
    armed: bool
    checks: tuple[str, ...]
    red_at_start: tuple[str, ...] | None
    unrunnable_at_start: tuple[str, ...]


_BOUNDS = Bounds()
_LARGEST = 1_000_000
_BOUND_OF = {
    "rounds": "rounds",
    "budget": "budget_usd",
    "minutes": "minutes",
    "round_minutes": "round_minutes",
    "stagnation_limit": "stagnation",
}


@click.command("start")
@click.argument("argument", required=False, default="", metavar="[ARG]")
@click.option(
    "--template", default="", metavar="NAME", help="A named loop; see `untildone templates`."
)
@click.option("--preset", type=click.Choice(PRESETS), help="Which checks, and a default task.")
@click.option("--task", default="", help="What the agent is to do; repeated to it each round.")
@click.option("--check", "checks", multiple=True, metavar="CMD", help="A check; may be repeated.")
@click.option("--success-pattern", default="", metavar="RE", help="Must match the output.")
@click.option("--failure-pattern", default="", metavar="RE", help="Must not match the output.")
@click.option(
    "--promise",
    "promises",
    multiple=True,
    metavar="TEXT",
    help="What the agent says when it is done; of several, any one.",
)
@click.option(
    "--criterion",
    "claims",
    multiple=True,
    metavar="NAME[=VERIFICATION]",
    help="What only the agent can report on (`untildone met`); may be repeated.",
)
@click.option(
    "--must-not",
    multiple=True,
    metavar="CMD",
    help="Pauses the loop if it exits 0; may be repeated.",
)
@click.option(
    "--done-when",
    type=click.Choice(get_args(Rule)),
    help="What ends it: the checks, the agent's word, both, or whichever comes first.",
)
@click.option(
    "--rounds",
    "--iterations",
    "--max-iterations",
    metavar="N",
    type=int,
    show_default=str(_BOUNDS.rounds),
    help="Pause at the Nth judged stop that is not met; 0 is no bound.",
)
@click.option(
    "--budget",
    metavar="USD",
    type=float,
    show_default=f"{_BOUNDS.budget_usd:g}",
    help="Pause at this cost; 0 is no bound.",
)
@click.option("--minutes", metavar="N", type=float, help="Pause after this time.")
@click.option("--round-minutes", metavar="N", type=float, help="Pause a round that takes longer.")
@click.option(
    "--stagnation-limit",
    metavar="N",
    type=int,
    help="Pause after N rounds in which nothing moved; 0 is off.",
)
@click.option(
    "--zero-errors/--no-zero-errors",
    default=None,
    help="Hold until no error is reported; `--preset fix` does.",
)
@click.option("--zero-warnings", is_flag=True, help="Also hold until no warning is reported.")
@click.option("--zero-security", is_flag=True, help="Also hold until no security finding is left.")
@click.option("--tests-pass", is_flag=True, help="Also hold until all tests pass.")
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="PATH",
    help="Only findings in it count; may be repeated.",
)
@click.option("--todos", is_flag=True, help="Unfinished TODO items are criteria.")
@click.option("--from-todos", is_flag=True, help="The same, and they are the task.")
@click.option(
    "--then",
    multiple=True,
    metavar="TEMPLATE",
    help="Starts when this loop ends well; may be repeated.",
)
@click.option(
    "--security-rules",
    multiple=True,
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder of your own ast-grep rules, beside ours; may be repeated.",
)
@click.option(
    "--allow",
    multiple=True,
    metavar="KIND:PATH[:DETAIL]",
    help="A loss you allow beforehand: " + ", ".join(ALLOWABLE) + ".",
)
@click.option(
    "--oracle",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="A program of yours outside of the repository, hidden from the agent: must exit 0.",
)
@click.option(
    "--reversibility",
    type=click.Choice(get_args(Reversibility)),
    default="2A",
    show_default=True,
    help="2B keeps the tree before each step for `rollback`, 1 asks for a precheck first.",
)
@click.option("--clean/--keep", help="Remove the loop's state when it has ended, or keep it.")
@click.option(
    "--session",
    metavar="ID",
    help="The agent's session, if not this shell's or the only live one here.",
)
@click.option(
    "--agent",
    type=click.Choice(sorted(AGENTS)),
    default="claude",
    show_default=True,
    help="Whose session it is.",
)
@project_option
@json_option
def command(*, project: Path | None, as_json: bool, agent: str, **given: Any) -> None:  # noqa: ANN401  click's own values
    """Start a loop: the agent is held at each stop until its criteria are met.

    \b
    untildone start --preset test
    untildone start --template coverage-to 80
    untildone start --check "npm test" --task "Port the parser" --rounds 20
    untildone start --preset fix --zero-warnings --target src/services
    untildone start --promise "ALL PAGES WRITTEN" --then fix-tests
    untildone start --from-todos
    untildone start --check "make e2e" --criterion "docs describe it=review"
    """
    found = here(agent)
    place = governed(project_of(project))
    session = chosen_session(found, given["session"], place)
    by_agent = called_by_agent(found, session)
    record = begun(found, place, given, session=session.id, by_agent=by_agent)
    record, results = with_start(found, record, detached=by_agent)
    tell(found, record, results, as_json=as_json)


def begun(
    found: Context, place: Path, given: dict[str, Any], *, session: str, by_agent: bool
) -> Record:
    """The loop that the options come to; what went otherwise than asked is said."""
    given["plan"] = _plan(found, place, given)
    if given["zero_security"] and not given["security_rules"]:
        own = trusted(found, place).security_rules
        given["security_rules"] = tuple(place / folder for folder in own)
    given["todo_items"] = todos_wanted(found, place, session, _switched_on(given))
    given["then"] = known(found, place, given["then"])
    record = begin(found, _request(given, session=session, project=place, by_agent=by_agent))
    ignored = "" if given["checks"] else untrusted(found, load_proposals(place))
    for line in filter(None, (*record.warnings, ignored)):
        click.echo(line, err=True)
    write_task(place, record.contract)
    return record


def called_by_agent(found: Context, session: Session) -> bool:
    """Below a client this has an agent's authority, and towards its own session only."""
    caller = calling_session(found.agent, str(found.home))
    if caller is None or not driven(caller):
        # A headless run checks one task while the agent of another works.
        refuse_in_check(found, "start")
    if caller and caller.id != session.id:
        raise UserError(
            f"`{session.id}` is another session", hint="leave out `--session` inside an agent"
        )
    return caller is not None


def _plan(found: Context, project: Path, given: dict[str, Any]) -> Plan:
    name, argument = given["template"], given["argument"]
    if name:
        return plan(found, project, name, argument, checks=not given["checks"])
    if argument:
        raise UserError(
            f"`{argument}` belongs to no template", hint='a task is given by `--task "TEXT"`'
        )
    return Plan()


def _request(given: dict[str, Any], *, session: str, project: Path, by_agent: bool) -> Request:
    """What is given stands before what the template says."""
    plan: Plan = given["plan"]
    todos: tuple[str, ...] = given["todo_items"]
    by_hand = named(
        given["checks"], success=given["success_pattern"], failure=given["failure_pattern"]
    )
    return Request(
        session=session,
        project=project,
        preset=given["preset"] or plan.preset,
        task=given["task"] or plan.task or (listed(todos) if given["from_todos"] else ""),
        checks=by_hand or plan.checks,
        also=_security(given, project),
        promises=given["promises"] or plan.promises,
        claims=tuple(claim(text) for text in given["claims"]) or plan.claims,
        must_not=given["must_not"] or plan.must_not,
        done_when=cast(Rule | None, given["done_when"]) or plan.done_when,
        bounds=bounds_of(given, plan.bounds),
        allow=given["allow"],
        oracle=given["oracle"],
        by="agent" if by_agent else "user",
        reversibility=cast(Reversibility, given["reversibility"]),
        clean=given["clean"],
        counts=counts_named(_switched_on(given)),
        zero_errors=given["zero_errors"] is not False,
        targets=targets_in(project, given["targets"]),
        todos=todos,
        then=given["then"],
    )


def _switched_on(given: dict[str, Any]) -> set[str]:
    return {name for name, value in given.items() if value is True}


def _security(given: dict[str, Any], project: Path) -> tuple[Check, ...]:
    """Whoever names rules of their own wants them looked at."""
    rules = given["security_rules"]
    return (security.make_check(project, rules=rules),) if given["zero_security"] or rules else ()


def bounds_of(given: dict[str, Any], usual: Bounds) -> Bounds:
    chosen = {name: given[name] for name in _BOUND_OF if given[name] is not None}
    for name, value in chosen.items():
        if not (math.isfinite(value) and 0 <= value <= _LARGEST):
            raise UserError(
                f"`--{name.replace('_', '-')} {value:g}` is out of range",
                hint=f"give a number from 0, which is no bound, to {_LARGEST}",
            )
    return replace(usual, **{_BOUND_OF[name]: value for name, value in chosen.items()})


def with_start(
    found: Context, record: Record, *, detached: bool
) -> tuple[Record, tuple[CheckResult, ...]]:
    """What is red now: at once for the person who waits, behind the agent's back otherwise."""
    checks = [check for check in record.contract.checks if check.when == "round"]
    if not checks:
        return record, ()
    if detached:
        begin_detached(found, record)
        return record, ()
    with watching(checks) as report:
        results = run_checks(
            checks, RunOptions(project=Path(record.contract.project)), report=report
        )
    return record_start(found, record.contract.id, results), results


def tell(
    found: Context,
    record: Record,
    results: tuple[CheckResult, ...],
    *,
    as_json: bool,
    more: Callable[[Started], object] = lambda begun: begun,
) -> None:
    unrunnable = [result for result in results if result.outcome == "unrunnable"]
    begun = Started(
        id=record.contract.id,
        session=record.contract.session,
        armed=armed(found, record),
        checks=tuple(check.command for check in record.contract.checks),
        red_at_start=record.progress.seen_red if record.progress.baseline else None,
        unrunnable_at_start=tuple(result.name for result in unrunnable),
    )
    for result in unrunnable:
        click.echo(f"`{result.name}` cannot be run: {result.reason}", err=True)
    if as_json:
        print_json(more(begun))
        return
    click.echo("\n".join((summary(record), *told_at_start(found, record))))
    if begun.red_at_start == () and record.contract.done_when == "checks":
        names = ", ".join(f"`{name}`" for name in begun.unrunnable_at_start)
        red = f"{names} cannot be run, nothing else is red" if names else "nothing is red now"
        click.echo(f"{red}, so green is no proof: the agent must also say it is done")
    if begun.armed:
        click.echo("armed: hooks of this session were seen")
    else:
        click.echo(
            "not armed yet: no hook of this session was seen; `untildone doctor` tells why",
            err=True,
        )
