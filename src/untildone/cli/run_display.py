"""The display of a headless run: a live line on a terminal, plain lines elsewhere, or JSON."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from pathlib import Path

import click
import msgspec
from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text

from untildone.agents.headless import AgentText, Denied, Retrying, Returned, RunEvent, Tool
from untildone.core.text import pluralize
from untildone.runs.client_call import Show
from untildone.runs.events import Asked, Ended, Judged, Started, Waiting

_PLAIN = "UNTILDONE_HEADLESS"


@contextmanager
def open_display(environ: Mapping[str, str], *, as_json: bool) -> Iterator[Show]:
    if as_json:
        yield _print
        return
    console = Console(stderr=True, highlight=False)
    lines = _Lines(console)
    with draw_live(lines, console, environ):
        yield lines


def draw_live(
    lines: RenderableType, console: Console, environ: Mapping[str, str]
) -> AbstractContextManager[object]:
    """Redraw `lines` on a terminal, unless the user asked for plain output."""
    if not console.is_terminal or environ.get(_PLAIN, "") not in ("", "0"):
        return nullcontext()
    return Live(lines, console=console, refresh_per_second=4, transient=True)


def _print(happening: RunEvent) -> None:
    # ASCII, like all our JSON.
    click.echo(json.dumps(msgspec.to_builtins(happening)))


class _Lines:
    """Prints lasting lines, and is itself the live line that is redrawn four times a second."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._round = ""
        self._began = time.monotonic()
        self._tools = 0
        self._doing = ""
        self._until = 0.0

    def __call__(self, happening: RunEvent) -> None:
        match happening:
            case Asked():
                self._begin(f"round {happening.round}")
            case Tool():
                self._tools += 1
                self._doing = f"{happening.name} {happening.detail}".strip()
            case AgentText():
                self._doing = " ".join(happening.text.split())
            case Retrying():
                self._doing = f"the client retries ({happening.reason})"
            case Ended():
                self._end(happening)
            case _:
                self._say(self._describe(happening))

    def _describe(self, happening: RunEvent) -> str:
        match happening:
            case Started():
                return _describe_start(happening)
            case Denied():
                return f"{self._round}: no permission for {happening.tool}: {happening.reason}"
            case Waiting():
                return self._waiting(happening)
            case Returned():
                return self._describe_return(happening)
            case Judged():
                return happening.notice
            case _:
                return ""

    def __rich__(self) -> Text:
        if self._until:
            left = max(0, round(self._until - time.time()))
            return Text(f"{self._round}: waiting, {left // 60}:{left % 60:02} left", style="dim")
        parts = (self._round, pluralize(self._tools, "tool"), self._format_elapsed(), self._doing)
        line = " · ".join(part for part in parts if part) if self._round else "starting"
        return Text(line, style="dim", no_wrap=True, overflow="ellipsis")

    def _begin(self, name: str) -> None:
        self._round, self._began = name, time.monotonic()
        self._tools, self._doing, self._until = 0, "", 0.0

    def _format_elapsed(self) -> str:
        seconds = round(time.monotonic() - self._began)
        return f"{seconds // 60}:{seconds % 60:02}"

    def _describe_return(self, happening: Returned) -> str:
        cost = "" if happening.cost_usd is None else f", {happening.cost_usd:.2f} USD so far"
        ended = happening.reason or "the agent returned"
        self._doing = "checking"
        tools = pluralize(self._tools, "tool")
        return f"{self._round}: {ended}; {tools}{cost}, {self._format_elapsed()}"

    def _waiting(self, happening: Waiting) -> str:
        self._until = datetime.fromisoformat(happening.until).timestamp()
        moment = datetime.fromtimestamp(self._until).astimezone().strftime("%H:%M:%S")
        return f"{self._round}: {happening.fault}: {happening.reason}; waiting until {moment}"

    def _end(self, happening: Ended) -> None:
        self._round = ""
        receipt = Path(happening.receipt) if happening.receipt else None
        if receipt and receipt.exists():
            click.echo(receipt.read_text(encoding="utf-8"), nl=False)
        if happening.resume:
            outcome = "" if happening.outcome == "paused" else f" ({happening.outcome})"
            self._say(f"paused{outcome}: run `{happening.resume}` to continue")

    def _say(self, text: str) -> None:
        if text:
            self._console.print(text, markup=False, soft_wrap=True)


def _describe_start(started: Started) -> str:
    bounds = [pluralize(started.max_rounds, "round")] if started.max_rounds else []
    bounds += [f"{started.budget_usd:g} USD"] if started.budget_usd else []
    checks = ", ".join(f"`{command}`" for command in started.checks) or "no check"
    return f"loop {started.loop}: {checks}; at most {' and '.join(bounds)}"
