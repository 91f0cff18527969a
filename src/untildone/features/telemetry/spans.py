"""A loop as spans: the loop, its rounds, and below them checks and experiments.

Everything comes from the journal. Ids are digests of the loop's id and the span's place, so that
a loop that is sent again replaces what was sent before.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from itertools import pairwise
from pathlib import PurePath
from typing import Literal, TypeAlias

from msgspec import Struct

from untildone.core.check_results import CheckResult, Totals
from untildone.core.progress import BaselineRun, Round
from untildone.core.verdict import Continue, Finish, Pause
from untildone.report.verdict_names import name_verdict
from untildone.store.history import History
from untildone.store.loops import Record

Value: TypeAlias = str | bool | int | float | tuple[str, ...]
Attributes: TypeAlias = dict[str, Value]
SpanStatus: TypeAlias = Literal["", "ok", "error"]

_SECOND = 1_000_000_000


class Span(Struct, frozen=True, kw_only=True):
    """One span; times are in nanoseconds since 1970, as OpenTelemetry counts."""

    name: str
    id: int
    # 0: the span of the loop itself.
    parent: int
    start: int
    end: int
    attributes: Attributes
    status: SpanStatus = ""


def make_trace_id(record: Record) -> int:
    """Return the id of the loop's trace: 16 bytes, the same each time."""
    contract = record.contract
    # A loop's id alone may be another loop's on another machine.
    return _digest(f"{contract.id}\0{contract.started_at}\0{contract.session}", 16)


def build_spans(record: Record, history: History, *, with_texts: bool = False) -> list[Span]:
    """Return the spans of a loop, its own first; `with_texts` adds the task and reasons."""
    loop = _build_loop(record, history, with_texts=with_texts)
    spans = [loop]
    if history.baseline:
        spans += _build_baseline(loop, history.baseline)
    starts = (_parse(record.contract.started_at), *(_parse(each.at) for each in history.rounds))
    costs = (0.0, *(each.spend_usd for each in history.rounds))
    for entry, start, (before, after) in zip(history.rounds, starts, pairwise(costs), strict=False):
        cost = None if before is None or after is None else after - before
        spans += _build_round(loop, entry, start=start, cost=cost, with_texts=with_texts)
    return spans


def _build_loop(record: Record, history: History, *, with_texts: bool) -> Span:
    contract, progress = record.agreed, record.progress
    attributes: Attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": contract.agent,
        "gen_ai.conversation.id": contract.session,
        "untildone.loop.id": contract.id,
        "untildone.loop.status": progress.status,
        "untildone.loop.outcome": progress.outcome or "",
        "untildone.loop.rounds": progress.round,
        "untildone.loop.max_rounds": contract.bounds.rounds,
        "untildone.loop.done_when": contract.done_when,
        "untildone.loop.unmet": progress.unmet or (),
        "untildone.loop.active_seconds": progress.active_seconds,
        "untildone.project": PurePath(contract.project).name,
        "untildone.budget_usd": contract.bounds.budget_usd,
        **_list_totals(progress.totals),
    }
    if progress.spend_usd is not None:
        attributes["untildone.spend_usd"] = progress.spend_usd
    if with_texts:
        attributes["untildone.loop.task"] = contract.task
        attributes["untildone.loop.reason"] = progress.reason
    start = _parse(contract.started_at)
    end = _parse(history.ended_at or progress.updated_at or contract.started_at)
    return Span(
        name=f"invoke_agent {contract.agent}",
        id=_digest(f"{contract.id}\0{contract.started_at}\0loop", 8),
        parent=0,
        start=start,
        end=max(start, end),
        attributes=attributes,
        status=_rate_outcome(progress.outcome),
    )


def _rate_outcome(outcome: str | None) -> SpanStatus:
    """Return "error" for a pause, which needs the user; a cancelled loop is no error."""
    if outcome == "done":
        return "ok"
    return "" if outcome in (None, "claimed", "cancelled") else "error"


def _build_baseline(loop: Span, baseline: BaselineRun) -> Iterator[Span]:
    seconds = max((result.seconds for result in baseline.checks), default=0.0)
    span = Span(
        name="baseline",
        id=_digest(f"{loop.id}\0baseline", 8),
        parent=loop.id,
        start=loop.start,
        end=min(loop.end, loop.start + int(seconds * _SECOND)),
        attributes=_list_totals(baseline.totals),
    )
    yield span
    for result in baseline.checks:
        end = min(span.end, span.start + int(result.seconds * _SECOND))
        yield _build_check(span, result, start=span.start, end=end)


def _build_round(
    loop: Span, entry: Round, *, start: int, cost: float | None, with_texts: bool
) -> Iterator[Span]:
    end = max(start, _parse(entry.at))
    attributes: Attributes = {
        "untildone.round": entry.number,
        "untildone.verdict": name_verdict(entry.verdict),
        "untildone.unmet": entry.unmet,
        "untildone.fixed": entry.fixed,
        "untildone.files_written": len(entry.written_files),
        "untildone.concerns": entry.concern_count,
        "untildone.tree": entry.tree,
        "untildone.commit": entry.commit,
        **_list_totals(entry.totals),
    }
    if entry.agent:
        attributes["gen_ai.agent.name"] = entry.agent
    if cost is not None:
        attributes["untildone.spend_usd"] = cost
    if with_texts and isinstance(entry.verdict, Finish | Pause):
        attributes["untildone.reason"] = entry.verdict.reason
    if isinstance(entry.verdict, Continue):
        attributes["untildone.hold_cause"] = entry.verdict.cause
    span = Span(
        name=f"round {entry.number}",
        id=_digest(f"{loop.id}\0round {entry.number}", 8),
        parent=loop.id,
        start=start,
        end=end,
        attributes=attributes,
    )
    yield span
    for result in entry.checks:
        # The journal has how long a check ran, not when: it ended when the round was judged.
        seconds = 0.0 if result.cached else result.seconds
        yield _build_check(span, result, start=max(start, end - int(seconds * _SECOND)), end=end)
    yield from _build_experiments(span, entry)


def _build_check(parent: Span, result: CheckResult, *, start: int, end: int) -> Span:
    attributes: Attributes = {
        "untildone.check.name": result.name,
        "untildone.check.outcome": result.outcome,
        "untildone.check.cached": result.cached,
        "untildone.check.seconds": result.seconds,
        "untildone.check.findings": max(result.finding_count, len(result.findings)),
    }
    if result.exit_code is not None:
        attributes["process.exit.code"] = result.exit_code
    if result.tests:
        attributes["untildone.tests.passed"] = result.tests.passed
        attributes["untildone.tests.failed"] = result.tests.failed
        attributes["untildone.tests.skipped"] = result.tests.skipped
    return Span(
        name=f"check {result.name}",
        id=_digest(f"{parent.id}\0check {result.name}", 8),
        parent=parent.id,
        start=start,
        end=end,
        attributes=attributes,
        status="ok" if result.green else "error",
    )


def _build_experiments(parent: Span, entry: Round) -> Iterator[Span]:
    """Yield what the confirming runs showed; the journal has their results, not their times."""
    for name, tests in _list_experiments(entry):
        yield Span(
            name=f"experiment {name}",
            id=_digest(f"{parent.id}\0experiment {name}", 8),
            parent=parent.id,
            start=parent.end,
            end=parent.end,
            attributes={
                "untildone.experiment.name": name,
                "untildone.experiment.tests": tests,
                "untildone.sandbox": entry.sandbox,
            },
        )


def _list_experiments(entry: Round) -> Sequence[tuple[str, int]]:
    change = entry.change
    if change is None:
        return ()
    found = (
        ("fail-to-pass", change.fail_to_pass or None),
        ("pass-to-pass", change.pass_to_pass),
        ("canary", change.biting_tests or None),
    )
    return [(name, tests) for name, tests in found if tests is not None]


def _list_totals(totals: Totals | None) -> Attributes:
    if totals is None:
        return {}
    return {
        "untildone.findings.errors": totals.errors,
        "untildone.findings.warnings": totals.warnings,
        "untildone.findings.security": totals.security,
        "untildone.tests.passed": totals.passed,
        "untildone.tests.failed": totals.failed,
        "untildone.tests.skipped": totals.skipped,
    }


def _digest(text: str, size: int) -> int:
    """Return an id of this many bytes; 0 is no id in OpenTelemetry."""
    data = sha256(text.encode("utf-8", "surrogatepass")).digest()[:size]
    return int.from_bytes(data) or 1


def _parse(at: str) -> int:
    return int(datetime.fromisoformat(at).timestamp()) * _SECOND
