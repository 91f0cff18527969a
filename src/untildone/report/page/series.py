"""The figures of a loop over its rounds, as charts: findings, tests, cost, time."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from untildone.core.check_results import Totals
from untildone.core.progress import BaselineRun, Round
from untildone.report.page.inert_text import make_line
from untildone.report.page.values import Chart, Series
from untildone.report.times import measure_seconds
from untildone.store.history import History

# Bars of a chart, and series of a stack: more cannot be told apart.
MAX_BARS = 60
_MAX_SERIES = 5
_START = "start"


def build_charts(history: History, started_at: str) -> tuple[tuple[Chart, ...], tuple[str, ...]]:
    """Return the charts, and for each kind that cannot be drawn the reason."""
    rounds = history.rounds
    if not rounds:
        return (), ("No stop was judged, so there is nothing to draw.",)
    points = pick_points(len(rounds))
    drawn = [
        _draw_findings(history, points),
        _draw_tests(history, points),
        _draw_cost(rounds, points),
        _draw_time(rounds, points, started_at),
    ]
    charts = tuple(each for each in drawn if isinstance(each, Chart))
    return charts, tuple(each for each in drawn if isinstance(each, str))


def pick_points(count: int) -> tuple[int, ...]:
    """Return the indices of the rounds that are drawn: all, or evenly spaced with both ends."""
    if count <= MAX_BARS:
        return tuple(range(count))
    last = MAX_BARS - 1
    return tuple(round(number * (count - 1) / last) for number in range(MAX_BARS))


def _draw_findings(history: History, points: Sequence[int]) -> Chart | str:
    runs = _list_runs(history, points)
    names = _list_check_names(runs)
    if not any(run.counted for run in runs):
        return "Findings: no check was run."
    counts = {name: tuple(_count_findings_of(run, name) for run in runs) for name in names}
    found = {name: values for name, values in counts.items() if any(values)}
    if not found:
        return "Findings: no check reported any, in the baseline or in a round."
    return Chart(
        id="findings",
        title="Findings by check",
        unit="findings",
        labels=_make_labels(history, points),
        series=tuple(_stack_series(found)),
        note=_describe_points(history, points),
    )


def _stack_series(found: dict[str, tuple[float | None, ...]]) -> Iterable[Series]:
    """Yield the checks with the most findings, and all others as one series."""
    ranked = sorted(found, key=lambda name: (-sum(value or 0 for value in found[name]), name))
    kept = ranked if len(ranked) <= _MAX_SERIES else ranked[: _MAX_SERIES - 1]
    for number, name in enumerate(kept, 1):
        yield Series(name=make_line(name, 40), values=found[name], style=f"check{number}")
    others = ranked[len(kept) :]
    if others:
        columns = zip(*(found[name] for name in others), strict=True)
        values = tuple(_sum_known(column) for column in columns)
        yield Series(name=f"{len(others)} other checks", values=values, style=f"check{_MAX_SERIES}")


def _sum_known(column: Iterable[float | None]) -> float | None:
    known = [value for value in column if value is not None]
    return sum(known) if known else None


def _draw_tests(history: History, points: Sequence[int]) -> Chart | str:
    totals = [_count_tests(run) for run in _list_runs(history, points)]
    if not any(each and (each.passed or each.failed or each.skipped) for each in totals):
        return "Tests: no check reported any."
    has_skipped = any(each and each.skipped for each in totals)
    names = ("failed", "passed", "skipped") if has_skipped else ("failed", "passed")
    return Chart(
        id="tests",
        title="Tests",
        unit="tests",
        labels=_make_labels(history, points),
        series=tuple(
            Series(
                name=name,
                values=tuple(None if each is None else getattr(each, name) for each in totals),
                style="skipped-tests" if name == "skipped" else name,
            )
            for name in names
        ),
        note=_describe_points(history, points),
    )


def _draw_cost(rounds: Sequence[Round], points: Sequence[int]) -> Chart | str:
    values = tuple(rounds[point].spend_usd for point in points)
    if not any(value is not None for value in values):
        return "Cost: unknown in every round."
    return Chart(
        id="cost",
        title="Cost so far",
        unit="USD",
        labels=_number_rounds(rounds, points),
        series=(Series(name="cost", values=values, style="cost"),),
        note=_describe_rest(len(rounds), points),
    )


def _draw_time(rounds: Sequence[Round], points: Sequence[int], started_at: str) -> Chart:
    durations = measure_rounds(rounds, started_at)
    return Chart(
        id="time",
        title="Time of each round",
        unit="seconds",
        labels=_number_rounds(rounds, points),
        series=(
            Series(name="time", values=tuple(durations[point] for point in points), style="time"),
        ),
        note=_describe_rest(len(rounds), points),
    )


def measure_rounds(rounds: Sequence[Round], started_at: str) -> tuple[float, ...]:
    """Return the seconds from the end of the round before, or from the start, to each verdict."""
    times = (started_at, *(entry.at for entry in rounds))
    return tuple(measure_seconds(before, after) for before, after in pairwise(times))


def _list_runs(history: History, points: Sequence[int]) -> list[BaselineRun | Round]:
    baseline: list[BaselineRun | Round] = [history.baseline] if history.baseline else []
    return [*baseline, *(history.rounds[point] for point in points)]


def _list_check_names(runs: Iterable[BaselineRun | Round]) -> list[str]:
    return list(dict.fromkeys(result.name for run in runs for result in run.checks))


def _count_findings_of(run: BaselineRun | Round, name: str) -> float | None:
    """Return how many findings the check reported; None where it was not run or not counted."""
    for result, counted in zip(run.checks, run.counted, strict=False):
        if result.name == name:
            return count_findings(counted)
    return None


def count_findings(totals: Totals) -> int:
    return totals.errors + totals.warnings + totals.infos + totals.security


def _count_tests(run: BaselineRun | Round) -> Totals | None:
    """Return the totals; where one check gave no result, those of the tests that were counted."""
    if run.totals is not None or not run.checks:
        return run.totals if run.checks else None
    counted = [each for each in run.counted if each.passed or each.failed or each.skipped]
    fields = ("passed", "failed", "skipped")
    sums = {field: sum(getattr(each, field) for each in counted) for field in fields}
    return Totals(**sums) if counted else None


def _make_labels(history: History, points: Sequence[int]) -> tuple[str, ...]:
    start = (_START,) if history.baseline else ()
    return (*start, *_number_rounds(history.rounds, points))


def _number_rounds(rounds: Sequence[Round], points: Sequence[int]) -> tuple[str, ...]:
    return tuple(str(rounds[point].number) for point in points)


def _describe_points(history: History, points: Sequence[int]) -> str:
    return _describe_rest(len(history.rounds), points)


def _describe_rest(count: int, points: Sequence[int]) -> str:
    """Say that not every round is drawn; empty where all are."""
    if count <= len(points):
        return ""
    return f"{len(points)} of {count:,} rounds are drawn, evenly spaced"
