"""The page of a project's history as a value: every loop that ran, and what it took."""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from untildone import __version__
from untildone.core.text import pluralize
from untildone.report.durations import format_seconds
from untildone.report.page.inert_text import make_line
from untildone.report.page.series import MAX_BARS
from untildone.report.page.summary import rate_outcome
from untildone.report.page.values import Chart, Figure, Headline, Series, Tone
from untildone.report.times import format_cost, format_time, measure_loop
from untildone.report.totals import describe_improvement
from untildone.report.verdict_names import name_state
from untildone.store.loops import Record, UnreadableLoop

_MAX_ROWS = 200
_MAX_UNREADABLE = 20


class LoopRow(Struct, frozen=True, kw_only=True):
    """One loop in a list."""

    loop: str
    title: str
    project: str
    state: str
    tone: Tone
    started_at: str
    started: str
    rounds: int
    duration: str
    cost: str
    # The totals at the start and at the end, where both are known; else why it stands so.
    result: str


class HistoryView(Struct, frozen=True, kw_only=True):
    title: str
    headline: Headline
    figures: tuple[Figure, ...]
    charts: tuple[Chart, ...]
    # The newest first.
    rows: tuple[LoopRow, ...]
    more: int = 0
    unreadable: tuple[str, ...] = ()
    version: str


def build_history_view(
    records: Sequence[Record], unreadable: Sequence[UnreadableLoop] = (), *, title: str
) -> HistoryView:
    """Return what the page shows of these loops, given the newest first."""
    lines = [f"{loop.id}: {make_line(loop.reason, 200)}" for loop in unreadable[:_MAX_UNREADABLE]]
    if len(unreadable) > _MAX_UNREADABLE:
        lines.append(f"{len(unreadable) - _MAX_UNREADABLE} more")
    return HistoryView(
        title=make_line(title, 200),
        headline=_build_headline(records),
        figures=tuple(_list_figures(records)),
        charts=_draw_loops(records[:MAX_BARS][::-1], len(records)) if records else (),
        rows=tuple(make_loop_row(record) for record in records[:_MAX_ROWS]),
        more=max(0, len(records) - _MAX_ROWS),
        unreadable=tuple(lines),
        version=__version__,
    )


def make_loop_row(record: Record) -> LoopRow:
    contract, progress = record.contract, record.progress
    improvement = describe_improvement(progress.baseline_totals, progress.totals, progress.improved)
    return LoopRow(
        loop=contract.id,
        title=make_line(contract.task, 120) or "(no task)",
        project=make_line(contract.project, 120),
        state=name_state(progress),
        tone=rate_outcome(progress.outcome),
        started_at=contract.started_at,
        started=format_time(contract.started_at),
        rounds=progress.round,
        duration=format_seconds(measure_loop(record)),
        cost=format_cost(progress.spend_usd).removeprefix("cost "),
        result=improvement or make_line(progress.reason, 160),
    )


def _build_headline(records: Sequence[Record]) -> Headline:
    states = Counter(name_state(record.progress) for record in records)
    counts = ", ".join(f"{count:,} {state}" for state, count in states.most_common(6))
    waiting = sum(record.progress.status == "paused" for record in records)
    text = pluralize(len(records), "loop") if records else "No loop ran here yet"
    text += f", {waiting} paused" if waiting else ""
    return Headline(
        state=text,
        tone="warn" if waiting else "calm",
        text=text,
        reason=counts,
        next_steps=("`untildone status --all` says what the paused loops wait for",)
        if waiting
        else (),
    )


def _list_figures(records: Sequence[Record]) -> Iterator[Figure]:
    ended = [record for record in records if record.progress.status == "finished"]
    done = sum(record.progress.outcome == "done" for record in ended)
    yield Figure(name="Done", value=f"{done:,}", note=f"of {len(ended):,} ended")
    rounds = sum(record.progress.round for record in records)
    average = f"{rounds / len(records):.1f} a loop" if records else ""
    yield Figure(name="Rounds", value=f"{rounds:,}", note=average)
    known = [
        record.progress.spend_usd for record in records if record.progress.spend_usd is not None
    ]
    unknown = len(records) - len(known)
    note = f"USD; unknown of {pluralize(unknown, 'loop')}" if unknown else "USD"
    yield Figure(name="Cost", value=f"{sum(known):.2f}" if known else "unknown", note=note)
    seconds = sum(map(measure_loop, records))
    yield Figure(name="Time", value=format_seconds(seconds), note="from start to end, summed")


def _draw_loops(shown: Sequence[Record], count: int) -> tuple[Chart, ...]:
    """Return charts of the newest loops, in their order in time."""
    note = f"the newest {len(shown)} of {count:,} loops are drawn" if count > len(shown) else ""
    labels = tuple(record.contract.id for record in shown)
    done = [record.progress.outcome == "done" for record in shown]
    rounds = [record.progress.round for record in shown]
    charts = [
        Chart(
            id="rounds",
            title="Rounds of each loop",
            unit="rounds",
            labels=labels,
            series=(
                _make_series("done", "passed", rounds, done),
                _make_series("not done", "failed", rounds, [not each for each in done]),
            ),
            note=note,
            is_course=False,
        )
    ]
    spent = tuple(record.progress.spend_usd for record in shown)
    if any(value is not None for value in spent):
        cost = Series(name="cost", values=spent, style="cost")
        charts.append(
            Chart(
                id="cost",
                title="Cost of each loop",
                unit="USD",
                labels=labels,
                series=(cost,),
                note=note,
                is_course=False,
            )
        )
    return tuple(charts)


def _make_series(name: str, style: str, values: Sequence[int], chosen: Sequence[bool]) -> Series:
    shown = tuple(
        value if is_chosen else 0 for value, is_chosen in zip(values, chosen, strict=True)
    )
    return Series(name=name, values=shown, style=style)
