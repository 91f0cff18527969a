"""Charts as inline SVG: bars over rounds, stacked, without text; the page adds labels and table.

The drawing stretches to the width of its box, so that labels in HTML keep their size.
"""

from collections.abc import Iterable, Sequence
from html import escape
from itertools import accumulate

from msgspec import Struct

from untildone.report.durations import format_seconds
from untildone.report.page.values import Chart, Series, Unit

_WIDTH = 600
_HEIGHT = 120
# The part of a bar's column that the bar fills.
_FILLED = 0.72
_MAX_BAR = 48.0
_MANY_BARS = 30
# Labels below a chart, and their length together; of more bars only three are named.
_MAX_LABELS = 12
_MAX_LABEL_LENGTH = 48


class LegendEntry(Struct, frozen=True, kw_only=True):
    name: str
    style: str
    # The first and the last known value, as text.
    first: str
    last: str


class DrawnChart(Struct, frozen=True, kw_only=True):
    """A chart with everything that the template places around it."""

    chart: Chart
    svg: str
    top: str
    labels: tuple[str, ...]
    is_dense: bool
    legend: tuple[LegendEntry, ...]
    # One row for each bar: its label and the value of each series.
    rows: tuple[tuple[str, ...], ...]


def draw_chart(chart: Chart) -> DrawnChart:
    top = max(map(_sum_column, _list_columns(chart)), default=0) or 1
    length = sum(map(len, chart.labels))
    is_dense = len(chart.labels) > _MAX_LABELS or length > _MAX_LABEL_LENGTH
    return DrawnChart(
        chart=chart,
        svg=_draw_svg(chart, top),
        top=format_value(top, chart.unit),
        labels=_choose_labels(chart.labels) if is_dense else chart.labels,
        is_dense=is_dense,
        legend=tuple(_describe_series(series, chart.unit) for series in chart.series),
        rows=tuple(
            (label, *(format_value(value, chart.unit) for value in column))
            for label, column in zip(chart.labels, _list_columns(chart), strict=True)
        ),
    )


def format_value(value: float | None, unit: Unit) -> str:
    if value is None:
        return "unknown"
    if unit == "USD":
        return f"{value:.2f}"
    if unit == "seconds":
        return format_seconds(value)
    return f"{value:,.0f}"


def describe_chart(chart: Chart) -> str:
    """Return the chart in words, for who cannot see it."""
    parts = [
        f"{series.name} from {entry.first} to {entry.last}"
        for series in chart.series
        for entry in (_describe_series(series, chart.unit),)
    ]
    if not chart.is_course:
        parts = [series.name for series in chart.series]
    bars = f"{len(chart.labels)} bars, from {chart.labels[0]} to {chart.labels[-1]}"
    return f"{chart.title} in {chart.unit}: {bars}; {', '.join(parts)}."


def _list_columns(chart: Chart) -> list[tuple[float | None, ...]]:
    return list(zip(*(series.values for series in chart.series), strict=True))


def _sum_column(column: Iterable[float | None]) -> float:
    return sum(value for value in column if value is not None)


def _choose_labels(labels: Sequence[str]) -> tuple[str, ...]:
    return labels[0], labels[len(labels) // 2], labels[-1]


def _describe_series(series: Series, unit: Unit) -> LegendEntry:
    known = [value for value in series.values if value is not None]
    first, last = (known[0], known[-1]) if known else (None, None)
    return LegendEntry(
        name=series.name,
        style=series.style,
        first=format_value(first, unit),
        last=format_value(last, unit),
    )


def _draw_svg(chart: Chart, top: float) -> str:
    columns = _list_columns(chart)
    step = _WIDTH / len(columns)
    # Gaps between very many bars would only flicker.
    width = step if len(columns) > _MANY_BARS else min(_MAX_BAR, step * _FILLED)
    bars = "".join(
        bar
        for number, column in enumerate(columns)
        for bar in _draw_column(
            chart, column, x=number * step + (step - width) / 2, width=width, top=top
        )
    )
    name = escape(chart.id)
    return (
        f'<svg class="bars" viewBox="0 0 {_WIDTH} {_HEIGHT}" preserveAspectRatio="none" role="img"'
        f' aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(chart.title)}</title>'
        f'<desc id="{name}-desc">{escape(describe_chart(chart))}</desc>'
        f'<path class="grid" d="M0 {_HEIGHT / 2}H{_WIDTH}M0 0H{_WIDTH}"/>'
        f'{bars}<path class="axis" d="M0 {_HEIGHT}H{_WIDTH}"/></svg>'
    )


def _draw_column(
    chart: Chart, column: Sequence[float | None], *, x: float, width: float, top: float
) -> Iterable[str]:
    """Yield the bars of one round from the bottom up; an unknown value is a dashed line."""
    if all(value is None for value in column):
        yield f'<path class="missing" d="M{x:.1f} {_HEIGHT - 1}h{width:.1f}"/>'
        return
    heights = [(value or 0) / top * _HEIGHT for value in column]
    for series, height, end in zip(chart.series, heights, accumulate(heights), strict=True):
        if height > 0:
            # A value that is not zero stays visible beside a very large one.
            seen = max(height, 1.5)
            yield (
                f'<rect class="{escape(series.style)}" x="{x:.1f}" y="{_HEIGHT - end:.1f}"'
                f' width="{width:.1f}" height="{seen:.1f}"/>'
            )
