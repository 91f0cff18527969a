"""The record of an ended or paused loop: what was checked, how, on which tree, at what cost."""

import json
from collections.abc import Iterator
from itertools import pairwise

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from untildone.core.check_results import CheckResult, Totals
from untildone.core.concerns import is_allowed, strip_content_digest
from untildone.core.contract import Amendment, Speaker
from untildone.core.evidence import Evidence
from untildone.core.failure_list import summarize_result
from untildone.core.progress import Round
from untildone.core.spec.trust import Trust, rate_trust
from untildone.core.text import to_one_line
from untildone.core.verdict import OUTCOMES, Outcome
from untildone.report.totals import describe_improvement
from untildone.store.loops import Record

_NAMED = 5


class ReceiptCheck(Struct, frozen=True, kw_only=True):
    name: str
    command: str
    outcome: str
    summary: str
    seconds: float


class Allowance(Struct, frozen=True, kw_only=True):
    """One allowance of the person's: what it covers of that which is lost."""

    what: str
    by: Speaker
    at: str
    covers: tuple[str, ...] = ()


class ReceiptConcern(Struct, frozen=True, kw_only=True):
    """What the person is asked about; `change` is from the start to now, cut where it is long."""

    id: str
    path: str
    because: str
    change: str = ""


class Receipt(Struct, frozen=True, kw_only=True):
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
    # How the work was compared with the start, what is asked about, what was allowed and by whom.
    proved: tuple[str, ...] = ()
    lost: tuple[ReceiptConcern, ...] = ()
    approvals: tuple[Allowance, ...] = ()
    # Of a loop from a spec: how far it can be relied on, what no command can test, what was done.
    verdict: Trust | None = None
    unverified: tuple[str, ...] = ()
    steps_done: tuple[str, ...] = ()
    precheck: str = ""
    # The counts that had to be zero, the paths whose findings counted, and what is left.
    counts: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()
    # Loops one after another.
    follows: str = ""
    followed_by: str = ""
    then: tuple[str, ...] = ()


def build_receipt(
    record: Record,
    evidence: Evidence,
    rounds: tuple[Round, ...],
    *,
    at: str,
    lost: tuple[ReceiptConcern, ...] = (),
) -> Receipt:
    contract = record.agreed
    progress = record.progress
    return replace(
        _build_essentials(record, evidence, rounds, at=at),
        proved=evidence.comparisons,
        lost=lost,
        approvals=tuple(_list_allowances(record, evidence)),
        verdict=rate_trust(contract, progress) if _has_verdict(record) else None,
        unverified=tuple(f"must not: {limit}" for limit in contract.limits),
        steps_done=progress.steps_done,
        precheck=progress.precheck,
        counts=contract.counts,
        targets=contract.targets,
        unmet=_list_unmet(record),
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
        checks=tuple(_summarise_check(result) for result in evidence.checks),
        claims=claims,
        promises_said=evidence.promises_given,
        allowed=contract.allow,
        by_words_alone=(*claims, *evidence.promises_given),
        history=tuple(map(_describe_round, rounds, _compute_costs(rounds), _count_fixed(rounds))),
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
            covers = tuple(lost.id for lost in evidence.concerns or () if is_allowed(lost, (what,)))
            yield Allowance(what=what, by=amendment.by, at=amendment.at, covers=covers)


def _list_unmet(record: Record) -> tuple[str, ...]:
    """What holds the work up, as it was last seen."""
    progress = record.progress
    if progress.outcome == "done":
        return ()
    blocked = (f"blocked: {progress.reason}",) if progress.outcome == "blocked" else ()
    return (*blocked, *(progress.unmet or ()))


def _has_verdict(record: Record) -> bool:
    return record.contract.preset == "loop" and record.progress.outcome in ("done", "claimed")


def _summarise_check(result: CheckResult) -> ReceiptCheck:
    return ReceiptCheck(
        name=result.name,
        command=result.command,
        outcome=result.outcome,
        summary=summarize_result(result)
        + "".join(f" ({note})" for note in _describe_check(result)),
        seconds=round(result.seconds, 2),
    )


def _describe_check(result: CheckResult) -> list[str]:
    fixed = f"after `{result.fixed_by}`" if result.fixed_by else ""
    return [note for note in (result.reason, fixed) if note]


def _compute_costs(rounds: tuple[Round, ...]) -> list[float | None]:
    """What each round cost, where that is known: they hold the sum up to them."""
    totals = [0.0, *(entry.spend_usd for entry in rounds)]
    return [
        None if now is None or before is None else now - before for before, now in pairwise(totals)
    ]


def _count_fixed(rounds: tuple[Round, ...]) -> list[int]:
    """What each round brought beyond the ones before."""
    return [now - before for before, now in pairwise((0, *(entry.fixed for entry in rounds)))]


def _describe_round(entry: Round, cost: float | None, fixed: int) -> str:
    results = ", ".join(f"{result.name} {summarize_result(result)}" for result in entry.checks)
    verdict = type(entry.verdict).__name__.lower()
    paid = "" if cost is None else f"; {cost:.2f} USD"
    told = f"round {entry.number}: {verdict}" + (f"; {results}" if results else "") + paid
    return "; ".join((told, *([f"fixed {fixed}"] if fixed > 0 else []), *_describe_work(entry)))


def _describe_work(entry: Round) -> Iterator[str]:
    if entry.written_files:
        yield f"touched {join_first(entry.written_files)}"
    yield from (f"note: {to_one_line(note)}" for note in entry.notes)


def join_first(names: tuple[str, ...]) -> str:
    rest = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {rest} more" if rest > 0 else "")


def encode_receipt(paper: Receipt) -> bytes:
    """In ASCII: a path that is not UTF-8 is a text that no other encoding takes."""
    return json.dumps(msgspec.to_builtins(paper), indent=2).encode() + b"\n"


def render_receipt(paper: Receipt) -> str:
    """The receipt as Markdown that also reads well in a terminal."""
    spend = "unknown" if paper.spend_usd is None else f"{paper.spend_usd:.2f} USD"
    moved = describe_improvement(paper.initial, paper.final, paper.improved)
    parts = [
        f"# Receipt of loop {paper.loop}: {paper.outcome or paper.status}",
        f"{paper.reason}\n" if paper.reason else "",
        f"- task: {paper.task.splitlines()[0] if paper.task else ''}",
        f"- rounds: {paper.rounds} of {paper.max_rounds or 'no bound'}",
        f"- done when: {paper.done_when}",
        f"- verdict: {paper.verdict}" if paper.verdict else "",
        f"- {moved}" if moved else "",
        f"- counted: {', '.join(paper.counts)}" if paper.counts else "",
        f"- only findings in: {', '.join(paper.targets)}" if paper.targets else "",
        f"- follows loop {paper.follows}" if paper.follows else "",
        f"- followed by loop {paper.followed_by}" if paper.followed_by else "",
        f"- from {paper.started_at} to {paper.ended_at}, cost: {spend}",
        *_render_section(
            "Checked", [f"{each.name}: {each.summary}  `{each.command}`" for each in paper.checks]
        ),
        *_render_section("Compared with the start", list(paper.proved)),
        *_render_concerns(paper.lost),
        *_render_section(
            "Reported by the agent", [f"{name}: {text}" for name, text in paper.claims.items()]
        ),
        *_render_section("Said by the agent", list(paper.promises_said)),
        *_render_section("Steps done", list(paper.steps_done)),
        *_render_section("Thought of before", [paper.precheck] if paper.precheck else []),
        *_render_section("Not verified by anything", list(paper.unverified)),
        *_render_section(
            "Allowed by the person", [_format_allowance(each) for each in paper.approvals]
        ),
        *_render_section("Round by round", list(paper.history)),
        *_render_section("Notes", list(paper.notes)),
        *_render_section("Remaining", list(paper.unmet)),
        *_render_section("What next", _list_next_steps(paper)),
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _format_allowance(given: Allowance) -> str:
    covers = (
        f", covers {', '.join(map(strip_content_digest, given.covers))}" if given.covers else ""
    )
    return f"`{strip_content_digest(given.what)}` at {given.at}{covers}"


def _render_concerns(lost: tuple[ReceiptConcern, ...]) -> Iterator[str]:
    if not lost:
        return
    yield "\n## Lost against the start"
    for each in lost:
        yield f"- `{strip_content_digest(each.id)}`: {each.because}"
    for change in dict.fromkeys(each.change for each in lost if each.change):
        yield f"\n{_indent(change)}"


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def _render_section(title: str, lines: list[str]) -> list[str]:
    return [f"\n## {title}", *(f"- {line}" for line in lines)] if lines else []


def _list_next_steps(paper: Receipt) -> list[str]:
    if paper.outcome == "claimed":
        return ["look at it yourself: it rests on the agent's words alone"]
    if paper.outcome == "cancelled" and paper.unmet:
        return ["begin again with `untildone start`, or go on by hand"]
    if paper.outcome is None or OUTCOMES[paper.outcome].status != "paused":
        return []
    if paper.outcome == "needs-approval":
        return [
            f"if you wanted it: `untildone approve --all --loop {paper.loop}`",
            "if not: have it restored (`untildone show --at-start PATH` prints a file as it was),"
            f" then `untildone continue {paper.loop}`",
            f"or end it with `untildone cancel {paper.loop}`",
        ]
    resume = OUTCOMES[paper.outcome].resume
    return [
        f"go on with `untildone {resume}`" if " prompt" not in resume else "answer in a prompt",
        "or address what is named above first",
        "or end it with `untildone cancel`",
    ]
