"""Progress of running checks: one line each on a terminal, plain lines elsewhere."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.text import Text

from untildone.loop.model import Check, CheckResult
from untildone.report.lines import counts

Report = Callable[[Check, CheckResult | None], None]
_STYLES = {"green": "green", "red": "red"}


class _Table:
    """What is drawn again four times a second: checks that run, and what the others came to."""

    def __init__(self, checks: Sequence[Check]) -> None:
        self.began = time.monotonic()
        self.results: dict[str, CheckResult | None] = {check.name: None for check in checks}

    def __rich__(self) -> Text:
        lines = [self._line(name, result) for name, result in self.results.items()]
        return Text("\n").join(lines)

    def _line(self, name: str, result: CheckResult | None) -> Text:
        if result is None:
            return Text(f"  … {name}  {time.monotonic() - self.began:.0f} s", style="dim")
        style = _STYLES.get(result.outcome, "yellow")
        return Text(f"  {name}: {counts(result)}  {result.seconds:.1f} s", style=style)


@contextmanager
def watching(checks: Sequence[Check]) -> Iterator[Report]:
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _plain(console)
        return
    table = _Table(checks)

    def report(check: Check, result: CheckResult | None) -> None:
        table.results[check.name] = result

    with Live(table, console=console, refresh_per_second=4):
        yield report


def _plain(console: Console) -> Report:
    def report(check: Check, result: CheckResult | None) -> None:
        if result is not None:
            line = f"{check.name}: {counts(result)}  {result.seconds:.1f} s"
            console.print(line, markup=False, highlight=False)

    return report
