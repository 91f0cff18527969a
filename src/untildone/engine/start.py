"""From what was asked for to a loop that is agreed on, recorded and armed."""

import secrets
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.agent_message import vague
from untildone.core.contract import (
    Bounds,
    Check,
    Claim,
    Contract,
    Count,
    Oracle,
    Reversibility,
    Rule,
    Speaker,
)
from untildone.core.decide import MOST_ROUNDS
from untildone.core.plan_task import PlanTask
from untildone.core.progress import Progress
from untildone.engine.baseline_snapshot import keeping
from untildone.engine.context import Context, mirror, project_folder
from untildone.engine.lost_loops import describe_lost_loop
from untildone.engine.project_checks import checks_for, checks_of, sound
from untildone.errors import UserError
from untildone.features.budget import spend
from untildone.features.budget.clock import read_clock
from untildone.features.counts.start import choose_counts
from untildone.features.milestones.milestones import attach_milestones
from untildone.features.spec.checkpoints import require_repository
from untildone.features.spec.start import apply_spec
from untildone.features.spec.steps import save_step_checkpoint
from untildone.features.templates.presets import DEFAULT_TASKS
from untildone.report.lines import status_line
from untildone.store.home import prepare
from untildone.store.loops import Record

CEILINGS = {"rounds": MOST_ROUNDS, "budget_usd": 100}
# What `--allow` may name: each is followed by a path or a test.
ALLOWABLE = ("suppression", "remove-test", "edit-test", "edit-expected", "config")


class Request(Struct, frozen=True, kw_only=True):
    """What `start`, a slash command or a phrase asks for; checks not given are found.

    `also` stands beside those given or found.
    """

    session: str
    project: Path
    preset: str = ""
    task: str = ""
    checks: tuple[Check, ...] = ()
    also: tuple[Check, ...] = ()
    promises: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    steps: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    done_when: Rule | None = None
    bounds: Bounds = Bounds()
    allow: tuple[str, ...] = ()
    by: Speaker = "user"
    reversibility: Reversibility = "2A"
    clean: bool = False
    # Beside `zero_errors`, which the preset `fix` has unless it is told otherwise.
    counts: tuple[Count, ...] = ()
    zero_errors: bool = True
    targets: tuple[str, ...] = ()
    todos: tuple[str, ...] = ()
    then: tuple[str, ...] = ()
    after: str = ""
    oracle: Path | None = None
    plan: PlanTask | None = None


def begin(context: Context, request: Request) -> Record:
    """The loop, active and bound to its session; what was green at the start is found later."""
    prepare(context.home)
    _only_loop(context, request.session)
    _within_authority(request)
    contract = _contract(context, request)
    with keeping(context, contract) as (kept, unkept):
        first = Progress(
            updated_at=contract.started_at,
            clock=read_clock(),
            baseline_digest=kept,
            baseline_missing=unkept,
        )
        record = context.loops.create(contract, first)
    session = context.session_of(record)
    session.remove("prompt.json")
    if contract.checks:
        folder = project_folder(context.home, request.project) / "checks"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    spend.begin_ledger(context, record)
    mirror(context, record, status_line(record))
    if contract.reversibility == "2B":
        save_step_checkpoint(record, cwd=request.project)
    warnings = (*record.warnings, *attach_milestones(context, record), *_vague(request.promises))
    return replace(record, warnings=(*warnings, *_taken_up(contract)))


def _taken_up(contract: Contract) -> tuple[str, ...]:
    if contract.plan is None:
        return ()
    # Imported where it is used: hardly any loop is of a plan.
    from untildone.features.plans.task_loops import mark_in_progress

    return mark_in_progress(contract)


def _vague(promises: tuple[str, ...]) -> list[str]:
    return [
        f"the promise `{text}` is vague, an agent says it on the way:"
        ' `--promise "ALL TESTS GREEN"` says what must be true'
        for text in promises
        if vague(text)
    ]


def _only_loop(context: Context, session_id: str) -> None:
    session = context.session(session_id)
    if not session.known:
        raise UserError(
            f"`{session_id}` is not a session id", hint="`untildone status --all` lists sessions"
        )
    told = describe_lost_loop(context, session)
    if told:
        raise UserError(told.removeprefix("untildone: "), hint="`untildone status --all` shows it")
    loop = session.loop()
    if loop:
        raise UserError(
            f"this session has the loop `{loop}` already",
            hint=f"`untildone cancel {loop}` ends it, `untildone continue {loop}` goes on with it",
        )


def _within_authority(request: Request) -> None:
    bounds = request.bounds
    if not bounds.rounds and not bounds.budget_usd:
        raise UserError("a loop needs a bound", hint="give `--rounds N` or `--budget USD` above 0")
    _meant(request)
    if request.by == "user":
        return
    for option, given in (
        ("--allow", request.allow),
        ("--clean", request.clean),
        ("--oracle", request.oracle),
    ):
        if given:
            raise UserError(
                f"`{option}` is the person's to give", hint="ask them to start the loop"
            )
    for name, ceiling in CEILINGS.items():
        number = getattr(bounds, name)
        if not 0 < number <= ceiling:
            raise UserError(
                f"an agent may start a loop with at most {ceiling} {name.partition('_')[0]}",
                hint=f"give a number from 1 to {ceiling}",
            )


def _meant(request: Request) -> None:
    """What says nothing is a mistake: an empty promise would be found in every message."""
    given = {
        "--promise": request.promises,
        "--criterion": tuple(claim.name for claim in request.claims),
        "--must-not": request.must_not,
    }
    for option, texts in given.items():
        if not all(text.strip() for text in texts):
            raise UserError(f"`{option}` is empty", hint="say it in words, or leave it out")
    for allowed in request.allow:
        kind, _, what = allowed.partition(":")
        if kind not in ALLOWABLE or not what:
            raise UserError(
                f"`--allow {allowed}` is unknown",
                hint=f"`KIND:PATH[:DETAIL]` with one of {', '.join(ALLOWABLE)}",
            )


def _contract(context: Context, request: Request) -> Contract:
    checks = _beside(request.checks or _found(context, request), request.also)
    for check in checks:
        sound(check)
    counts = choose_counts(request, checks)
    rule = request.done_when or _rule(request, checks)
    _provable(rule, request, checks)
    contract = Contract(
        id=secrets.token_hex(4),
        agent=context.agent.NAME,
        session=request.session,
        project=str(request.project),
        task=request.task or DEFAULT_TASKS.get(request.preset, "Finish the work."),
        started_at=context.now(),
        started_by=request.by,
        preset=request.preset,
        checks=checks,
        promises=request.promises,
        claims=request.claims,
        steps=request.steps,
        must_not=request.must_not,
        done_when=rule,
        bounds=request.bounds,
        allow=request.allow,
        reversibility=request.reversibility,
        clean=request.clean,
        counts=counts,
        targets=request.targets,
        todos=request.todos,
        then=request.then,
        after=request.after,
        oracle=_oracle(request, checks),
        plan=request.plan,
    )
    if request.reversibility == "2B":
        require_repository(request.project)
    return apply_spec(context, contract) if request.preset == "loop" else contract


def _oracle(request: Request, checks: tuple[Check, ...]) -> Oracle | None:
    if request.oracle is None:
        return None
    if not checks:
        raise UserError(
            "`--oracle` only confirms checks, and there is none",
            hint='name one: `--check "YOUR COMMAND"`',
        )
    # Imported where it is used: a prompt that starts no loop must not pay for it.
    from untildone.integrity.experiments.oracle import make_oracle

    return make_oracle(request.oracle, request.project)


def _found(context: Context, request: Request) -> tuple[Check, ...]:
    if not request.preset and (request.promises or request.claims or request.todos):
        return ()
    try:
        return checks_for(context, request.project, request.preset)
    except UserError:
        # A spec-driven loop may rest on claims that the agent adds.
        enough = request.preset == "loop" or (request.also and not request.preset)
        if enough and checks_of(context, request.project)[0] == ():
            return ()
        raise


def _beside(checks: tuple[Check, ...], also: tuple[Check, ...]) -> tuple[Check, ...]:
    """A criterion goes by its check's name, so the project may have its own of the same name."""
    taken = {check.name for check in checks}
    commands = {check.command for check in checks}
    return checks + tuple(
        replace(check, name=f"{check.name}-2") if check.name in taken else check
        for check in also
        if check.command not in commands
    )


def _rule(request: Request, checks: tuple[Check, ...]) -> Rule:
    listed = request.todos and not checks and not request.promises
    if request.claims or request.preset == "loop" or listed:
        return "both"
    return "checks" if checks else "promise"


def _provable(rule: Rule, request: Request, checks: tuple[Check, ...]) -> None:
    if rule in ("checks", "either") and not checks:
        raise UserError(
            f"`--done-when {rule}` needs a check", hint='name one: `--check "YOUR COMMAND"`'
        )
    if rule == "promise" and not request.promises:
        raise UserError(
            "`--done-when promise` needs a promise", hint='give one: `--promise "ALL TESTS GREEN"`'
        )


def named(commands: tuple[str, ...], *, success: str = "", failure: str = "") -> tuple[Check, ...]:
    """Checks of commands given by hand, named `check`, `check-2`, …"""
    if (success or failure) and not commands:
        raise UserError(
            "a pattern judges the output of a check, and none is named",
            hint='name it: `--check "YOUR COMMAND"`',
        )
    return tuple(
        Check(
            name="check" if number == 1 else f"check-{number}",
            command=command,
            success_pattern=success,
            failure_pattern=failure,
            reason="given by hand",
        )
        for number, command in enumerate(commands, 1)
    )


def armed(context: Context, record: Record) -> bool:
    """Whether a hook of this session was seen: only then somebody holds the agent."""
    return bool(context.session_of(record).last_event_at())
