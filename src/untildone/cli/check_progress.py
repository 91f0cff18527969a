"""Progress of running checks: a live table on a terminal, plain lines elsewhere."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Protocol

from rich.console import Console, ConsoleOptions
from rich.live import Live
from rich.text import Text

from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.core.failure_list import summarize_result

_STYLES = {"green": "green", "red": "red"}
# The width a line needs beside the name, and the least width of a name.
_BESIDE_NAME = 45
_SHORTEST_NAME = 10
_PREVIEW_LINES = 3
_NOTHING: Mapping[str, CheckResult] = {}


class ProgressDisplay(Protocol):
    """Called at the start of each check (with None) and with its result."""

    def __call__(self, check: Check, result: CheckResult | None) -> None: ...

    def show_preview(self, check: Check, result: CheckResult) -> None: ...


@contextmanager
def show_progress(
    checks: Sequence[Check],
    *,
    last: Mapping[str, CheckResult] = _NOTHING,
    transient: bool = False,
) -> Iterator[ProgressDisplay]:
    """Show progress while the checks run; `last` has the previous results.

    With `transient`, the table disappears at the end.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _PlainDisplay(console)
        return
    table = _TableDisplay(checks, last)
    with Live(table, console=console, refresh_per_second=4, transient=transient):
        yield table


class _PlainDisplay:
    def __init__(self, console: Console) -> None:
        self._console = console

    def __call__(self, check: Check, result: CheckResult | None) -> None:
        if result is not None:
            self._print(f"{check.name}: {summarize_result(result)}  {_format_duration(result)}")

    def show_preview(self, check: Check, result: CheckResult) -> None:
        self._print(
            "\n".join((f"{check.name}: {_describe_preview(result)}", *_format_preview(result)))
        )

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


class _TableDisplay:
    """A table that is redrawn four times a second."""

    def __init__(self, checks: Sequence[Check], last: Mapping[str, CheckResult]) -> None:
        self._last = last
        self._began: dict[str, float] = {}
        self._previews: dict[str, CheckResult] = {}
        self._results: dict[str, CheckResult | None] = {check.name: None for check in checks}

    def __call__(self, check: Check, result: CheckResult | None) -> None:
        self._began.setdefault(check.name, time.monotonic())
        self._results[check.name] = result

    def show_preview(self, check: Check, result: CheckResult) -> None:
        self._previews[check.name] = result

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> Iterator[Text]:
        available = max(_SHORTEST_NAME, options.max_width - _BESIDE_NAME)
        width = min(available, max(map(len, self._results), default=0))
        for name in self._results:
            yield from self._format_check(name, width)

    def _format_check(self, name: str, width: int) -> Iterator[Text]:
        result, preview = self._results[name], self._previews.get(name)
        short_name = name if len(name) <= width else f"{name[: width - 1]}…"
        line = Text(f"{short_name:<{width}}  ", no_wrap=True, overflow="ellipsis")
        if result:
            outcome, _, more = summarize_result(result).partition(", ")
            line.append(f"{outcome:<11}", style=_STYLES.get(outcome, "yellow"))
            yield line.append(f" {_format_duration(result):>9}  {more or result.reason}")
            return
        last = self._last.get(name)
        if preview is None:
            summary = f"last: {summarize_result(last)}" if last else ""
            yield line.append(f"{self._format_elapsed(name)}  {summary}", style="dim")
            return
        yield line.append(f"{self._format_elapsed(name)}  {_describe_preview(preview)}")
        for text in _format_preview(preview):
            yield Text(text, style="red", no_wrap=True, overflow="ellipsis")

    def _format_elapsed(self, name: str) -> str:
        began = self._began.get(name)
        if began is None:
            return f"{'waiting':<21}"
        return f"{'running':<11} {f'{time.monotonic() - began:.0f} s':>9}"


def _format_duration(result: CheckResult) -> str:
    return "as before" if result.cached else f"{result.seconds:.1f} s"


def _describe_preview(result: CheckResult) -> str:
    return f"early look: {summarize_result(result).partition(', ')[2]}; the whole run decides"


def _format_preview(result: CheckResult) -> list[str]:
    lines = list(result.tests.failing) if result.tests else []
    lines += [f"{item.path}:{item.line}  {item.code}  {item.text}" for item in result.findings]
    more = [f"and {len(lines) - _PREVIEW_LINES} more"] if len(lines) > _PREVIEW_LINES else []
    return [f"    {line}" for line in (*islice(lines, _PREVIEW_LINES), *more)]
