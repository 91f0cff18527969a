"""The display of a headless run: a live line on a terminal, plain lines elsewhere, or JSON."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import Protocol, TypeAlias

import click
import msgspec
from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text

from untildone.agents.headless import AgentText, Denied, Retrying, Returned, RunEvent, Tool
from untildone.core.text import pluralize
from untildone.runs.run_events import Asked, Ended, HandedOver, Judged, Started, Waiting

_PLAIN = "UNTILDONE_HEADLESS"
Show: TypeAlias = Callable[[str, RunEvent], None]


class _Lines(Protocol):
    """Prints lasting lines, and is itself the live text that is redrawn four times a second."""

    def __call__(self, task: str, event: RunEvent, /) -> None: ...

    def __rich__(self) -> RenderableType: ...


@contextmanager
def open_display(
    make_lines: Callable[[Console], _Lines], environ: Mapping[str, str], *, as_json: bool
) -> Iterator[Show]:
    """Yield what is called with each event; the task is empty outside of a plan run."""
    if as_json:
        yield _print_event
        return
    console = Console(stderr=True, highlight=False)
    lines = make_lines(console)
    is_plain = not console.is_terminal or environ.get(_PLAIN, "") not in ("", "0")
    live = Live(lines, console=console, refresh_per_second=4, transient=True)
    with nullcontext() if is_plain else live:
        yield lines


def _print_event(task: str, event: RunEvent) -> None:
    # ASCII, like all our JSON.
    fields = msgspec.to_builtins(event)
    click.echo(json.dumps({"task": task, **fields} if task else fields))


def format_minutes(seconds: float) -> str:
    return f"{round(seconds) // 60}:{round(seconds) % 60:02}"


class RunLines:
    """The round, the tools and the time of the current round, and what the agent does now."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._round = ""
        self._began = time.monotonic()
        self._tools = 0
        self._doing = ""
        self._until = 0.0

    def __call__(self, _task: str, event: RunEvent) -> None:
        match event:
            case Asked():
                self._round, self._began = f"round {event.round}", time.monotonic()
                self._tools, self._doing, self._until = 0, "", 0.0
            case Tool():
                self._tools += 1
                self._doing = f"{event.name} {event.detail}".strip()
            case AgentText():
                self._doing = " ".join(event.text.split())
            case Retrying():
                self._doing = f"the client retries ({event.reason})"
            case _:
                text = self._describe(event)
                if text:
                    self._console.print(text, markup=False, soft_wrap=True)

    def _describe(self, event: RunEvent) -> str:
        match event:
            case Started():
                return _describe_start(event)
            case HandedOver():
                return f"{self._round}: {event.reason}; {event.agent} goes on"
            case Denied():
                return f"{self._round}: no permission for {event.tool}: {event.reason}"
            case Waiting():
                self._until = datetime.fromisoformat(event.until).timestamp()
                moment = datetime.fromtimestamp(self._until).astimezone().strftime("%H:%M:%S")
                return f"{self._round}: {event.fault}: {event.reason}; waiting until {moment}"
            case Returned():
                return self._describe_return(event)
            case Judged():
                return event.notice
            case Ended():
                return self._print_receipt(event)
            case _:
                return ""

    def __rich__(self) -> Text:
        if self._until:
            remaining = format_minutes(max(0, self._until - time.time()))
            return Text(f"{self._round}: waiting, {remaining} left", style="dim")
        parts = (self._round, pluralize(self._tools, "tool"), self._format_elapsed(), self._doing)
        line = " · ".join(part for part in parts if part) if self._round else "starting"
        return Text(line, style="dim", no_wrap=True, overflow="ellipsis")

    def _format_elapsed(self) -> str:
        return format_minutes(time.monotonic() - self._began)

    def _describe_return(self, event: Returned) -> str:
        cost = "" if event.cost_usd is None else f", {event.cost_usd:.2f} USD so far"
        reason = event.reason or "the agent returned"
        self._doing = "checking"
        tools = pluralize(self._tools, "tool")
        return f"{self._round}: {reason}; {tools}{cost}, {self._format_elapsed()}"

    def _print_receipt(self, event: Ended) -> str:
        """Print the receipt to stdout, and return the line that says how to continue."""
        self._round = ""
        receipt = Path(event.receipt) if event.receipt else None
        if receipt and receipt.exists():
            click.echo(receipt.read_text(encoding="utf-8"), nl=False)
        outcome = "" if event.outcome == "paused" else f" ({event.outcome})"
        return f"paused{outcome}: run `{event.resume}` to continue" if event.resume else ""


def _describe_start(started: Started) -> str:
    bounds = [pluralize(started.max_rounds, "round")] if started.max_rounds else []
    bounds += [f"{started.budget_usd:g} USD"] if started.budget_usd else []
    checks = ", ".join(f"`{command}`" for command in started.checks) or "no check"
    return f"loop {started.loop}: {checks}; at most {' and '.join(bounds)}"
