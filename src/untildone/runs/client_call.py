"""One call of an agent's client: started, read line by line, ended with its processes."""

import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from untildone.agents.headless import (
    AgentText,
    ClientCall,
    ClientEvent,
    ClientFault,
    ContextFill,
    Denied,
    Headless,
    Limited,
    Retrying,
    Returned,
    RunEvent,
    Tool,
)
from untildone.process.runner import Finished, run

Show: TypeAlias = Callable[[RunEvent], None]
# Longer lines are skipped; none of them holds anything that is needed.
_LONGEST = 16_000_000
_LAST_WORDS = 500


class Return(Struct, frozen=True, kw_only=True):
    """The result of a call; `cost_usd` is that of the whole conversation, None if unknown."""

    message: str = ""
    cost_usd: float | None = None
    tools: int = 0
    denied: tuple[str, ...] = ()
    tokens: int = 0
    window: int = 0
    fault: ClientFault | None = None
    reason: str = ""
    # When a usage limit ends; 0 if unknown.
    until: float = 0
    interrupted: bool = False
    timed_out: bool = False

    @property
    def fill(self) -> float:
        """Return the used fraction of the model's context window."""
        return self.tokens / self.window if self.window else 0


class CallSettings(Struct, frozen=True, kw_only=True):
    """How a client is called; `command` is its program with its fixed first arguments."""

    client: Headless
    command: tuple[str, ...]
    project: Path
    environ: Mapping[str, str]


class Limits(Struct, frozen=True, kw_only=True):
    """What ends a call before the client does."""

    stop: threading.Event
    seconds: float | None = None


def call(
    place: CallSettings, ask: ClientCall, prompt: str, *, limits: Limits, show: Show
) -> Return:
    ear = _OutputReader(place.client, show, limits.stop)
    outer = place.client.SESSION_VARIABLES
    with tempfile.TemporaryDirectory(prefix="untildone-run-") as folder:
        errors = Path(folder) / "stderr"
        ended = run(
            [*place.command, *place.client.build_arguments(ask)],
            cwd=place.project,
            timeout=limits.seconds,
            env={name: text for name, text in place.environ.items() if name not in outer},
            stop=limits.stop,
            stdin=prompt.encode("utf-8", "surrogateescape"),
            errors=errors,
            on_output=ear.hear,
            hosts_agent=True,
        )
        stderr = errors.read_text(encoding="utf-8", errors="replace") if errors.exists() else ""
    if ear.broken:
        raise ear.broken
    return _conclude(place.client, ear, ended, stderr)


class _OutputReader:
    """Turns the stream into lines, events and finally the return."""

    def __init__(self, client: Headless, show: Show, stop: threading.Event) -> None:
        self.returned = Return()
        self.accounted = False
        self.broken: OSError | None = None
        self._client = client
        self._show = show
        self._stop = stop
        self._rest = b""

    def hear(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._rest = self._rest[:_LONGEST]
        for line in lines:
            for heard in self._client.parse_line(line):
                self._take(heard)

    def _take(self, heard: ClientEvent) -> None:
        known = self.returned
        match heard:
            case Tool():
                self.returned = replace(known, tools=known.tools + 1)
            case ContextFill():
                self.returned = replace(known, tokens=heard.tokens)
            case Denied():
                self.returned = replace(known, denied=(*known.denied, heard.tool))
            case Limited():
                self.returned = replace(known, until=heard.until)
            case Returned():
                self.accounted = True
                self.returned = _add_account(known, heard)
            case AgentText() | Retrying():
                pass
        try:
            self._show(heard)
        except OSError as error:
            # Our own output was closed: the client is ended as after Ctrl-C.
            self.broken = error
            self._stop.set()


def _add_account(known: Return, heard: Returned) -> Return:
    """Add up a result; a call has several if background work made the client continue."""
    return replace(
        known,
        message=heard.message,
        cost_usd=known.cost_usd if heard.cost_usd is None else heard.cost_usd,
        window=heard.window or known.window,
        fault=heard.fault,
        reason=heard.reason,
        until=heard.until or known.until,
    )


def _conclude(client: Headless, ear: _OutputReader, ended: Finished, stderr: str) -> Return:
    returned = ear.returned
    if ended.interrupted or ended.timed_out:
        cut = replace(returned, fault=None, reason="")
        return replace(cut, interrupted=ended.interrupted, timed_out=ended.timed_out)
    if ended.missing:
        return replace(returned, fault="missing", reason=ended.missing)
    if ear.accounted:
        return returned
    # Exit code 0 without a result is no return either: the client was cut off.
    kind = client.classify_failure(stderr)
    why = stderr.strip().splitlines()[-1:] or [f"the client ended with {_describe_ending(ended)}"]
    return replace(returned, fault=kind, reason=why[0][:_LAST_WORDS])


def _describe_ending(ended: Finished) -> str:
    return f"signal {ended.signal}" if ended.signal else f"exit code {ended.exit_code}"
