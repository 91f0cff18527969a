"""One call of an agent's client: started, read line by line, ended with its processes."""

import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from untildone.agents import headless
from untildone.process.live_input import LiveInput
from untildone.process.runner import run

Show: TypeAlias = Callable[[headless.RunEvent], None]
ParseLine: TypeAlias = Callable[[bytes], tuple[headless.ClientEvent, ...]]
# Longer lines are skipped; none of them holds anything that is needed.
_MAX_LINE = 16_000_000
_LONGEST_REASON = 500


class Return(Struct, frozen=True, kw_only=True):
    """The result of a call; `cost_usd` is that of the whole conversation, None if unknown."""

    message: str = ""
    cost_usd: float | None = None
    # The cost of this call alone, from a client that tells no sum.
    call_cost_usd: float = 0
    tools: int = 0
    denied: tuple[str, ...] = ()
    tokens: int = 0
    window: int = 0
    fault: headless.ClientFault | None = None
    reason: str = ""
    # When a usage limit ends; 0 if unknown.
    until: float = 0
    interrupted: bool = False
    timed_out: bool = False
    # The client's own name of the conversation; empty if it takes ours.
    client_session: str = ""
    # Commands with their output, in which the agent's reports stand.
    relayed: tuple[headless.Relayed, ...] = ()

    @property
    def fill(self) -> float:
        """Return the used fraction of the model's context window."""
        return self.tokens / self.window if self.window else 0


class CallSettings(Struct, frozen=True, kw_only=True):
    """How a client is called; `command` is its program with its fixed first arguments."""

    client: headless.Headless | headless.Interactive
    command: tuple[str, ...]
    project: Path
    environ: Mapping[str, str]


class Limits(Struct, frozen=True, kw_only=True):
    """What ends a call before the client does."""

    stop: threading.Event
    seconds: float | None = None


def call(
    settings: CallSettings, request: headless.ClientCall, prompt: str, *, limits: Limits, show: Show
) -> Return:
    """Run the client with the prompt until it returns, fails or is ended."""
    parse_line, stdin = _open_exchange(settings, request, prompt)
    reader = _OutputReader(parse_line, show, limits.stop)
    outer = settings.client.SESSION_VARIABLES
    with tempfile.TemporaryDirectory(prefix="untildone-run-") as folder:
        errors = Path(folder) / "stderr"
        ended = run(
            [*settings.command, *settings.client.build_arguments(request)],
            cwd=settings.project,
            timeout=limits.seconds,
            env={name: text for name, text in settings.environ.items() if name not in outer},
            stop=limits.stop,
            stdin=stdin,
            errors=errors,
            on_output=reader.read,
            hosts_agent=True,
        )
        stderr = errors.read_text(encoding="utf-8", errors="replace") if errors.exists() else ""
    if reader.broken:
        raise reader.broken
    returned = reader.returned
    if ended.interrupted or ended.timed_out:
        returned = replace(returned, fault=None, reason="")
        return replace(returned, interrupted=ended.interrupted, timed_out=ended.timed_out)
    if ended.missing:
        return replace(returned, fault="missing", reason=ended.missing)
    if reader.has_result:
        return returned
    # Exit code 0 without a result is no return either: the client was cut off.
    fault = settings.client.classify_failure(stderr)
    end = f"signal {ended.signal}" if ended.signal else f"exit code {ended.exit_code}"
    *_, reason = (f"the client ended with {end}", *stderr.strip().splitlines())
    return replace(returned, fault=fault, reason=reason[:_LONGEST_REASON])


def _open_exchange(
    settings: CallSettings, request: headless.ClientCall, prompt: str
) -> tuple[ParseLine, bytes | LiveInput]:
    """Return what reads each line of the client's output, and what the client is sent."""
    client = settings.client
    if not isinstance(client, headless.Interactive):
        return client.parse_line, prompt.encode("utf-8", "surrogateescape")
    dialogue = client.open_dialogue(request, prompt, folder=str(settings.project))
    stdin = LiveInput(dialogue.cancel)

    def answer_line(line: bytes) -> tuple[headless.ClientEvent, ...]:
        reply, events = dialogue.answer(line)
        stdin.send(reply)
        if any(isinstance(event, headless.Returned) for event in events):
            stdin.close()
        return events

    stdin.send(dialogue.begin())
    return answer_line, stdin


class _OutputReader:
    """Turns the stream into lines, events and finally the return."""

    def __init__(self, parse_line: ParseLine, show: Show, stop: threading.Event) -> None:
        self.returned = Return()
        self.has_result = False
        # Our own output was closed.
        self.broken: OSError | None = None
        self._parse_line = parse_line
        self._show = show
        self._stop = stop
        self._rest = b""
        self._last_text = ""
        self._parts = ""

    def read(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._rest = self._rest[:_MAX_LINE]
        for line in lines:
            for event in self._parse_line(line):
                self._join(event)

    def _join(self, event: headless.ClientEvent) -> None:
        """Add the event; parts of a text wait until the text is complete."""
        if isinstance(event, headless.TextPart):
            self._parts += event.text
            return
        complete = [headless.AgentText(text=self._parts)] if self._parts else []
        self._parts = ""
        for whole in (*complete, event):
            self._add(whole)
            self._report(whole)

    def _add(self, event: headless.ClientEvent) -> None:
        match event:
            case headless.Returned():
                self.has_result = True
                message = event.message or ("" if event.fault else self._last_text)
                self.returned = _add_result(self.returned, replace(event, message=message))
            case headless.AgentText():
                self._last_text = event.text
            case _:
                self.returned = _count_event(self.returned, event)

    def _report(self, event: headless.ClientEvent) -> None:
        if isinstance(event, headless.Relayed):
            # The tool call itself is displayed.
            return
        try:
            self._show(event)
        except OSError as error:
            # The client is ended as after Ctrl-C.
            self.broken = error
            self._stop.set()


def _count_event(total: Return, event: headless.ClientEvent) -> Return:
    """Return the total with an event before the result."""
    match event:
        case headless.Tool():
            return replace(total, tools=total.tools + 1)
        case headless.ContextFill():
            return replace(total, tokens=event.tokens)
        case headless.StepCost():
            return replace(total, call_cost_usd=total.call_cost_usd + event.cost_usd)
        case headless.Denied():
            return replace(total, denied=(*total.denied, event.tool))
        case headless.Limited():
            return replace(total, until=event.until)
        case headless.Relayed():
            return replace(total, relayed=(*total.relayed, event))
        case headless.SessionNamed():
            return replace(total, client_session=event.session)
        case _:
            return total


def _add_result(total: Return, result: headless.Returned) -> Return:
    """Add a result; a call has several if background work made the client continue."""
    return replace(
        total,
        message=result.message,
        cost_usd=total.cost_usd if result.cost_usd is None else result.cost_usd,
        window=result.window or total.window,
        fault=result.fault,
        reason=result.reason,
        until=result.until or total.until,
    )
