"""The first thing a reader sees of a loop: its outcome in one line, and the key figures."""

from collections.abc import Iterator

from untildone.core.text import pluralize
from untildone.core.verdict import Outcome
from untildone.report.durations import format_seconds
from untildone.report.page.inert_text import make_line
from untildone.report.page.series import count_findings
from untildone.report.page.values import Figure, Headline, Tone
from untildone.report.receipt import Receipt
from untildone.report.receipt_text import list_next_steps
from untildone.report.times import measure_loop
from untildone.report.verdict_names import name_outcome
from untildone.store.loops import Record

# What the headline says of an outcome, before the number of rounds.
_ENDINGS: dict[Outcome, str] = {
    "done": "Done",
    "claimed": "Claimed, not proved",
    "cancelled": "Cancelled",
    "vague": "Not started",
    "out-of-rounds": "Paused: out of rounds",
    "out-of-budget": "Paused: out of budget",
    "out-of-time": "Paused: out of time",
    "stagnated": "Paused: nothing moves any more",
    "blocked": "Paused: the agent is blocked",
    "tampered": "Paused: the loop's state was altered",
    "forbidden": "Paused: something forbidden happened",
    "unrunnable": "Paused: a check cannot be run",
    "cut-off": "Paused: the client ended the turn",
    "gate": "Paused: it asks you",
    "paused": "Paused by you",
    "needs-approval": "Paused: it needs your approval",
    "unverified": "Paused: nothing verifies the work",
}


def build_headline(receipt: Receipt) -> Headline:
    rounds = pluralize(receipt.rounds, "round")
    if receipt.outcome is None:
        bound = f" of {receipt.max_rounds}" if receipt.max_rounds else ""
        text = f"At work: {receipt.rounds}{bound} rounds judged"
        return Headline(
            state=receipt.status, tone="calm", text=text, reason=_describe_open(receipt)
        )
    return Headline(
        state=name_outcome(receipt.outcome),
        tone=rate_outcome(receipt.outcome),
        text=f"{_ENDINGS[receipt.outcome]}, after {rounds}",
        reason=make_line(receipt.reason, 400),
        next_steps=tuple(make_line(step, 300) for step in list_next_steps(receipt)),
    )


def _describe_open(receipt: Receipt) -> str:
    if not receipt.unmet:
        return ""
    return make_line(f"unmet at the last stop: {', '.join(receipt.unmet)}", 300)


def rate_outcome(outcome: Outcome | None) -> Tone:
    match outcome:
        case None:
            return "calm"
        case "done":
            return "good"
        case "cancelled":
            return "bad"
        case _:
            return "warn"


def list_figures(record: Record, receipt: Receipt) -> Iterator[Figure]:
    bounds = record.agreed.bounds
    limit = f"of {receipt.max_rounds}" if receipt.max_rounds else "no bound"
    yield Figure(name="Rounds", value=str(receipt.rounds), note=limit)
    yield from _list_test_figures(receipt)
    yield from _list_finding_figures(receipt)
    spend = "unknown" if receipt.spend_usd is None else f"{receipt.spend_usd:.2f}"
    budget = f"USD of {bounds.budget_usd:g}" if bounds.budget_usd else "USD, no bound"
    yield Figure(name="Cost", value=spend, note=budget if receipt.spend_usd is not None else "")
    minutes = f"of {bounds.minutes:g} min" if bounds.minutes else "no bound"
    yield Figure(name="Time", value=format_seconds(measure_loop(record)), note=minutes)


def _list_test_figures(receipt: Receipt) -> Iterator[Figure]:
    final = receipt.final
    if final is None or not (final.passed or final.failed or final.skipped):
        return
    before = _count_failed_before(receipt)
    was = "unknown" if before is None else f"{before:,}"
    yield Figure(
        name="Tests failing",
        value=f"{final.failed:,}",
        note=f"of {final.passed + final.failed:,}; {was} at the start",
        tone="bad" if final.failed else "good",
    )


def _count_failed_before(receipt: Receipt) -> int | None:
    """Return how many tests failed at the start; None where no check reported any."""
    if receipt.initial:
        return receipt.initial.failed
    tests = [run.tests for run in receipt.baseline_checks or () if run.tests]
    return sum(each.failed for each in tests) if tests else None


def _list_finding_figures(receipt: Receipt) -> Iterator[Figure]:
    if receipt.final is None:
        return
    now = count_findings(receipt.final)
    before = receipt.initial
    note = f"{count_findings(before):,} at the start" if before else "unknown at the start"
    yield Figure(name="Findings", value=f"{now:,}", note=note, tone="bad" if now else "good")
