"""The receipt, which records an ended or paused loop, as a value."""

from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.check_results import CheckResult, Totals
from untildone.core.concerns import is_allowed
from untildone.core.contract import Amendment, Speaker
from untildone.core.evidence import Evidence
from untildone.core.failure_list import summarize_result
from untildone.core.progress import Round
from untildone.core.text import join_first, to_one_line
from untildone.core.trust_rating import Trust, rate_trust
from untildone.core.verdict import Outcome
from untildone.store.loops import Record


class ReceiptCheck(Struct, frozen=True, kw_only=True):
    name: str
    command: str
    outcome: str
    summary: str
    seconds: float


class Allowance(Struct, frozen=True, kw_only=True):
    """One thing that the user allowed; `covers` are the ids of the concerns it settles."""

    what: str
    by: Speaker
    at: str
    covers: tuple[str, ...] = ()


class ReceiptConcern(Struct, frozen=True, kw_only=True):
    """A concern the user is asked about; `change` is the diff from the baseline, cut if long."""

    id: str
    path: str
    because: str
    change: str = ""


class Receipt(Struct, frozen=True, kw_only=True, rename={"concerns": "lost"}):
    loop: str
    agent: str
    session: str
    project: str
    task: str
    status: str
    outcome: Outcome | None
    reason: str
    done_when: str
    rounds: int
    max_rounds: int
    started_at: str
    ended_at: str
    spend_usd: float | None
    tree: str
    checks: tuple[ReceiptCheck, ...]
    claims: dict[str, str]
    promises_said: tuple[str, ...]
    allowed: tuple[str, ...]
    by_words_alone: tuple[str, ...]
    history: tuple[str, ...]
    initial: Totals | None
    final: Totals | None
    improved: int | None
    notes: tuple[str, ...]
    # Comparison with the baseline: what was proved, the open concerns, and who allowed what.
    proved: tuple[str, ...] = ()
    concerns: tuple[ReceiptConcern, ...] = ()
    approvals: tuple[Allowance, ...] = ()
    # Of a spec loop: how far to rely on it, what no command can verify, and the steps done.
    verdict: Trust | None = None
    unverified: tuple[str, ...] = ()
    steps_done: tuple[str, ...] = ()
    precheck: str = ""
    # The counts that had to be zero, the paths whose findings counted, and what is unmet.
    counts: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()
    # A line about configuration of the project that was ignored because it is not trusted.
    ignored_configuration: str = ""
    # A chain of loops.
    follows: str = ""
    followed_by: str = ""
    then: tuple[str, ...] = ()


def build_receipt(
    record: Record,
    evidence: Evidence,
    rounds: tuple[Round, ...],
    *,
    at: str,
    concerns: tuple[ReceiptConcern, ...] = (),
) -> Receipt:
    contract, progress = record.agreed, record.progress
    is_rated = contract.preset == "loop" and progress.outcome in ("done", "claimed")
    return replace(
        _build_essentials(record, evidence, rounds, at=at),
        proved=evidence.comparisons,
        concerns=concerns,
        approvals=tuple(_list_allowances(record, evidence)),
        verdict=rate_trust(contract, progress) if is_rated else None,
        unverified=tuple(f"must not: {limit}" for limit in contract.limits),
        steps_done=progress.steps_done,
        precheck=progress.precheck,
        counts=contract.counts,
        targets=contract.targets,
        unmet=_list_unmet(record),
        ignored_configuration=contract.ignored_configuration,
        follows=contract.after,
        followed_by=progress.followed_by,
        then=contract.then,
    )


def _build_essentials(
    record: Record, evidence: Evidence, rounds: tuple[Round, ...], *, at: str
) -> Receipt:
    contract = record.agreed
    progress = record.progress
    claims = {name: f"{met.by}: {met.evidence}" for name, met in progress.met.items()}
    # Rounds record the number of findings and tests fixed so far.
    fixed = [after - before for before, after in pairwise((0, *(entry.fixed for entry in rounds)))]
    return Receipt(
        loop=contract.id,
        agent=contract.agent,
        session=contract.session,
        project=contract.project,
        task=contract.task,
        status=progress.status,
        outcome=progress.outcome,
        reason=progress.reason,
        done_when=contract.done_when,
        rounds=progress.round,
        max_rounds=contract.bounds.rounds,
        started_at=contract.started_at,
        ended_at=at,
        spend_usd=progress.spend_usd,
        tree=evidence.tree,
        checks=tuple(_summarize_check(result) for result in evidence.checks),
        claims=claims,
        promises_said=evidence.promises_given,
        allowed=contract.allow,
        by_words_alone=(*claims, *evidence.promises_given),
        history=tuple(map(_describe_round, rounds, _compute_costs(rounds), fixed)),
        initial=progress.baseline_totals,
        final=progress.totals,
        improved=progress.improved,
        notes=progress.notes,
    )


def _list_allowances(record: Record, evidence: Evidence) -> Iterator[Allowance]:
    contract = record.contract
    at_start = Amendment(by=contract.started_by, at=contract.started_at, allow=contract.allow)
    for amendment in (at_start, *record.progress.amendments):
        for what in amendment.allow:
            covers = tuple(
                concern.id for concern in evidence.concerns or () if is_allowed(concern, (what,))
            )
            yield Allowance(what=what, by=amendment.by, at=amendment.at, covers=covers)


def _list_unmet(record: Record) -> tuple[str, ...]:
    """Return what was unmet at the last stop."""
    progress = record.progress
    if progress.outcome == "done":
        return ()
    blocked = (f"blocked: {progress.reason}",) if progress.outcome == "blocked" else ()
    return (*blocked, *(progress.unmet or ()))


def _summarize_check(result: CheckResult) -> ReceiptCheck:
    fixed = f"after `{result.fixed_by}`" if result.fixed_by else ""
    notes = "".join(f" ({note})" for note in (result.reason, fixed) if note)
    return ReceiptCheck(
        name=result.name,
        command=result.command,
        outcome=result.outcome,
        summary=summarize_result(result) + notes,
        seconds=round(result.seconds, 2),
    )


def _compute_costs(rounds: tuple[Round, ...]) -> list[float | None]:
    """Return the cost of each round, where it is known; rounds record the sum so far."""
    totals = [0.0, *(entry.spend_usd for entry in rounds)]
    return [
        None if after is None or before is None else after - before
        for before, after in pairwise(totals)
    ]


def _describe_round(entry: Round, cost: float | None, fixed: int) -> str:
    results = ", ".join(f"{result.name} {summarize_result(result)}" for result in entry.checks)
    verdict = type(entry.verdict).__name__.lower()
    parts = [
        f"round {entry.number}: {verdict}",
        results,
        "" if cost is None else f"{cost:.2f} USD",
        f"fixed {fixed}" if fixed > 0 else "",
    ]
    return "; ".join((*filter(None, parts), *_describe_work(entry)))


def _describe_work(entry: Round) -> Iterator[str]:
    if entry.written_files:
        yield f"touched {join_first(entry.written_files)}"
    yield from (f"note: {to_one_line(note)}" for note in entry.notes)
