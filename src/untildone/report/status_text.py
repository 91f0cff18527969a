"""A loop's status as rows for a terminal: what is needed from the user, progress, bounds."""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import asdict

from untildone.core.check_results import Totals
from untildone.core.text import join_first, to_one_line
from untildone.report.durations import format_seconds
from untildone.report.running_checks import RunningCheck
from untildone.report.status import LastVerdict, LoopStatus
from untildone.report.times import measure_seconds
from untildone.report.totals import describe_findings
from untildone.report.verdict_names import name_outcome

# How a row is coloured where there are colours; the text alone says the same.
Tone: TypeAlias = Literal["", "good", "warn", "ask"]

# From this share of a bound on, its bar warns.
_NEARLY = 0.8
# Younger than this is "just now".
_MOMENT = 60.0


class Row(Struct, frozen=True, kw_only=True):
    """One line below a loop's head: a label, a bar where `share` is known, and a text."""

    label: str
    text: str
    # From 0 to 1; None: no bar.
    share: float | None = None
    tone: Tone = ""


def describe_head(loop: LoopStatus) -> str:
    """Return `active, round 3 of 10, held`."""
    bound = f" of {loop.max_rounds}" if loop.max_rounds else ", no bound"
    return f"{name_loop_state(loop)}, round {loop.round}{bound}{_describe_hold(loop)}"


def name_loop_state(loop: LoopStatus) -> str:
    """Return `active`, `done` or `paused (stagnated)`."""
    return name_outcome(loop.outcome) if loop.outcome else loop.status


def _describe_hold(loop: LoopStatus) -> str:
    if loop.status != "active":
        return ""
    words = {True: "held", False: "not held", "unknown": "held unknown"}
    return f", {words[loop.held]}"


def list_rows(loop: LoopStatus, *, now: str, with_project: bool = False) -> Iterator[Row]:
    """Yield the rows of a loop; what is needed from the user comes first, or last if nothing is."""
    asked = tuple(_list_needs(loop))
    yield from asked
    if loop.outcome and loop.reason and not loop.questions and not _was_last_reason(loop):
        yield Row(label="why", text=to_one_line(loop.reason))
    if loop.unmet:
        yield Row(label="unmet", text=join_first(tuple(map(to_one_line, loop.unmet))))
    if loop.running:
        yield Row(label="running", text=str(RunningCheck(**asdict(loop.running))))
    yield from _list_progress(loop.baseline_totals, loop.totals)
    yield from _list_bounds(loop)
    if loop.held == "unknown" and loop.not_held_because != loop.needs_you:
        yield Row(label="held", text=f"unknown: {loop.not_held_because}")
    if loop.last_verdict:
        yield Row(label="last", text=_describe_last(loop.last_verdict, now=now))
    if loop.ignored_configuration:
        yield Row(label="note", text=loop.ignored_configuration)
    if with_project:
        yield Row(label="project", text=to_one_line(loop.project))
    yield Row(label="agent", text=f"{loop.agent}, session {to_one_line(loop.session)}")
    if not asked and loop.status == "active":
        yield Row(label="you", text="nothing is needed from you")


def _was_last_reason(loop: LoopStatus) -> bool:
    """Say whether the last round gave the reason for which the loop stands, which is shown."""
    return loop.last_verdict is not None and loop.last_verdict.reason == to_one_line(loop.reason)


def _list_needs(loop: LoopStatus) -> Iterator[Row]:
    """Yield what the user is asked, else what they have to do so that the loop goes on."""
    if loop.questions:
        labels = ("you", *("" for _ in loop.questions[1:]))
        for label, text in zip(labels, loop.questions, strict=True):
            yield Row(label=label, text=text, tone="ask" if label else "")
    elif loop.needs_you:
        lead = "to continue" if loop.status == "paused" else "not held"
        yield Row(label="you", text=f"{lead}: {loop.needs_you}", tone="ask")


def _list_progress(before: Totals | None, after: Totals | None) -> Iterator[Row]:
    """Yield the tests and findings, with those of the baseline beside them."""
    if after is not None:
        yield from _list_tests(before, after)
        yield from _list_findings(before, after)


def _list_tests(before: Totals | None, after: Totals) -> Iterator[Row]:
    total, had = after.passed + after.failed, before and before.passed + before.failed
    if not total and not had:
        return
    text = f"{after.passed} of {total} pass"
    if before and had:
        text += f", {before.passed} of {had} in the baseline"
    share = after.passed / total if total else 0.0
    yield Row(label="tests", text=text, share=share, tone="good")


def _list_findings(before: Totals | None, after: Totals) -> Iterator[Row]:
    left, had = _count_findings(after), before and _count_findings(before)
    if not left and not had:
        return
    text = describe_findings(after) or "none left"
    if before:
        text += f", {describe_findings(before) or 'none'} in the baseline"
    # Without findings in the baseline there is no share of them that is gone.
    share = max(0.0, 1 - left / had) if had else None
    yield Row(label="findings", text=text, share=share, tone="good")


def _count_findings(totals: Totals) -> int:
    return totals.errors + totals.warnings + totals.infos + totals.security


def _list_bounds(loop: LoopStatus) -> Iterator[Row]:
    """Yield money and time against their bounds."""
    spent = "unknown" if loop.spend_usd is None else f"{loop.spend_usd:.2f}"
    bound = f" of {loop.budget_usd:g}" if loop.budget_usd else ""
    reason = loop.spend_unknown_because if loop.status != "finished" else ""
    text = f"{spent}{bound} USD" + (f" ({reason})" if reason else "")
    has_bar = loop.budget_usd and loop.spend_usd is not None
    yield _make_bound("spend", text, (loop.spend_usd or 0) / loop.budget_usd if has_bar else None)
    if loop.max_minutes:
        text = f"{loop.minutes:g} of {loop.max_minutes:g} minutes"
        yield _make_bound("time", text, loop.minutes / loop.max_minutes)


def _make_bound(label: str, text: str, share: float | None) -> Row:
    tone: Tone = "warn" if share is not None and share >= _NEARLY else ""
    return Row(label=label, text=text, share=None if share is None else min(1.0, share), tone=tone)


def _describe_last(last: LastVerdict, *, now: str) -> str:
    """Return `round 3, 4 min ago: held, test red, 3 passed, 1 failed`."""
    reason = f", {last.reason}" if last.reason else ""
    return f"round {last.round}, {describe_age(last.at, now=now)}: {last.verdict}{reason}"


def describe_age(at: str, *, now: str) -> str:
    """Return `just now`, `4 min ago`, `3 h ago` or `12 d ago`."""
    seconds = measure_seconds(at, now)
    if seconds < _MOMENT:
        return "just now"
    days = seconds / 86_400
    return f"{days:.0f} d ago" if days >= 3 else f"{format_seconds(seconds)} ago"
