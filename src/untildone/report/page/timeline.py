"""The rounds of a loop as a page lists them, the newest first, with what each changed."""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from untildone.core.check_results import CheckResult
from untildone.core.concerns import strip_content_digest
from untildone.core.failure_list import summarize_result
from untildone.core.progress import BaselineRun, Round
from untildone.core.text import join_first, pluralize
from untildone.core.verdict import Continue, Finish, HoldCause, Ignore, Pause, Verdict, Wait
from untildone.report.durations import format_seconds
from untildone.report.page.failure_names import compare_runs
from untildone.report.page.inert_text import cut_lines, list_first, make_inert, make_line
from untildone.report.page.series import measure_rounds
from untildone.report.page.values import Diff, Listed, Mark, RoundView, Tone
from untildone.report.times import format_clock
from untildone.report.verdict_names import name_verdict
from untildone.store.history import History

# Rounds that are listed one by one, from the beginning and from the end.
_FIRST = 5
_LAST = 45
_MAX_ITEMS = 6
_MAX_CHECKS = 12
_MAX_MESSAGE = 700
_MAX_TOLD = 400
_MAX_FEEDBACK = 1_500
_DIFF_FILES = 5
_DIFF_LINES = 60
_DIFF_WIDTH = 160
_TOLD: dict[HoldCause, str] = {
    "unmet": "not done: unmet are {names}",
    "signal": "everything is met, but it had not said that the task is done",
    "unconfirmed": "not confirmed yet: {names}",
    "losses": "the checks pass, but something the baseline had is gone: {names}",
    "unchanged": "the checks pass as before, and no file was changed",
    "unproved": "the checks pass as before, and no test shows the change",
    "blocked": "it said that it is blocked: {names}",
    "unrunnable": "a check could not be run: {names}",
    "background": "its background work goes on: {names}",
    "fault": "untildone itself failed: {names}",
}
_TONES: dict[str, Tone] = {"green": "good", "red": "bad"}


def list_rounds(history: History, started_at: str) -> tuple[RoundView, ...]:
    """Return the rounds, the newest first; of very many the first and the last ones."""
    rounds = history.rounds
    durations = measure_rounds(rounds, started_at)
    shown = _choose_shown(len(rounds))
    views = [_view_round(history, index, durations[index]) for index in shown]
    left_out = rounds[_FIRST : len(rounds) - _LAST] if len(shown) < len(rounds) else ()
    if left_out:
        views[_FIRST - 1] = _add_skipped(views[_FIRST - 1], left_out)
    return tuple(reversed(views))


def _choose_shown(count: int) -> list[int]:
    if count <= _FIRST + _LAST:
        return list(range(count))
    return [*range(_FIRST), *range(count - _LAST, count)]


def _view_round(history: History, index: int, seconds: float) -> RoundView:
    rounds = history.rounds
    entry = rounds[index]
    before: Round | BaselineRun | None = rounds[index - 1] if index else history.baseline
    changes = compare_runs(before, entry)
    marks = tuple(_mark_check(result) for result in entry.checks[:_MAX_CHECKS])
    return RoundView(
        number=entry.number,
        at=entry.at,
        time=format_clock(entry.at),
        duration=format_seconds(seconds),
        verdict=name_verdict(entry.verdict),
        tone=_rate_verdict(entry.verdict),
        told=make_line(_describe_told(entry.verdict), _MAX_TOLD),
        feedback=make_inert(entry.feedback, _MAX_FEEDBACK),
        agent=make_line(entry.agent, 40),
        cost=_describe_cost(entry, rounds[index - 1] if index else None),
        message=make_inert(entry.message, _MAX_MESSAGE),
        checks=marks,
        more_checks=len(entry.checks) - len(marks),
        fixed_count=entry.fixed - (rounds[index - 1].fixed if index else 0),
        fixed=_list(changes.gone),
        new=_list(changes.new),
        unlisted_because=make_line(changes.unlisted_because, 200),
        files=_list(entry.written_files),
        concerns=_list_concerns(entry),
        notes=_list(entry.notes),
        diffs=tuple(_list_diffs(entry)),
        unjudged=tuple(_list_unjudged(history, entry.number)),
    )


def _list(texts: Sequence[str]) -> Listed:
    shown, more = list_first(texts, _MAX_ITEMS)
    return Listed(texts=shown, more=more)


def _list_concerns(entry: Round) -> Listed:
    listed = _list(
        tuple(
            f"{strip_content_digest(concern.id)}: {concern.detail}"
            for concern in (entry.concerns or ())[:_MAX_ITEMS]
        )
    )
    count = max(entry.concern_count, len(entry.concerns or ()))
    return Listed(texts=listed.texts, more=count - len(listed.texts))


def _mark_check(result: CheckResult) -> Mark:
    return Mark(
        name=make_line(result.name, 40),
        summary=make_line(summarize_result(result), 80),
        tone=rate_result(result.outcome),
    )


def rate_result(outcome: str) -> Tone:
    return _TONES.get(outcome, "warn")


def _rate_verdict(verdict: Verdict) -> Tone:
    match verdict:
        case Finish(outcome="done"):
            return "good"
        case Finish() | Pause():
            return "warn"
        case Continue():
            return "bad"
        case Wait() | Ignore():
            return "calm"


def _describe_told(verdict: Verdict) -> str:
    match verdict:
        case Continue():
            names = join_first(tuple(map(strip_content_digest, verdict.names))) or "not named"
            return _TOLD[verdict.cause].format(names=names)
        case Finish() | Pause() | Wait() | Ignore():
            return verdict.reason


def _describe_cost(entry: Round, before: Round | None) -> str:
    """Return what the round cost; rounds record the sum so far, None where it is unknown."""
    earlier = before.spend_usd if before else 0.0
    if entry.spend_usd is None or earlier is None:
        return ""
    return f"{entry.spend_usd - earlier:.2f} USD"


def _list_diffs(entry: Round) -> Iterator[Diff]:
    for path, text in list(entry.diffs.items())[:_DIFF_FILES]:
        cut = cut_lines(text, lines=_DIFF_LINES, width=_DIFF_WIDTH)
        yield Diff(path=make_line(path, 120), text=cut)
    left_out = len(entry.diffs) - _DIFF_FILES
    if left_out > 0:
        yield Diff(path=f"{pluralize(left_out, 'more file')}", text="`untildone show` has them")


def _list_unjudged(history: History, number: int) -> Iterator[str]:
    stops = [stop for stop in history.unjudged if stop.after_round == number]
    shown, more = list_first((stop.reason for stop in stops), _MAX_ITEMS)
    yield from shown
    if more:
        yield f"and {more} more"


def _add_skipped(view: RoundView, left_out: Sequence[Round]) -> RoundView:
    verdicts = Counter(name_verdict(entry.verdict) for entry in left_out)
    counts = ", ".join(f"{count:,} {name}" for name, count in verdicts.most_common())
    return replace(
        view,
        skipped=f"{len(left_out):,} more rounds, {left_out[0].number} to {left_out[-1].number},"
        f" are not listed here: {counts}",
    )
