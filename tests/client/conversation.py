"""One headless run of the client: its stream of events while it lives and what it left."""

import contextlib
import json
import queue
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from client.model_request import Json
from client.processes import kill_tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What one headless run of the client left behind."""

    exit_code: int
    events: tuple[Json, ...]
    stderr: str
    seconds: float
    timed_out: bool = False

    @property
    def session_id(self) -> str:
        return next((event["session_id"] for event in self.events if "session_id" in event), "")

    @property
    def results(self) -> tuple[Json, ...]:
        """The `result` lines: one for each prompt that was answered."""
        return tuple(event for event in self.events if event["type"] == "result")

    @property
    def text(self) -> str:
        """The final text of the last prompt."""
        return str(self.results[-1].get("result", "")) if self.results else ""

    @property
    def cost_usd(self) -> float:
        return float(self.results[-1]["total_cost_usd"]) if self.results else 0

    @property
    def hook_responses(self) -> tuple[Json, ...]:
        return self.system_events("hook_response")

    @property
    def notices(self) -> tuple[str, ...]:
        """What hooks show the user, such as `systemMessage`."""
        return tuple(str(event["content"]) for event in self.system_events("informational"))

    def responses_to(self, event_name: str) -> tuple[Json, ...]:
        return tuple(item for item in self.hook_responses if item["hook_event"] == event_name)

    def system_events(self, subtype: str) -> tuple[Json, ...]:
        return tuple(
            event
            for event in self.events
            if event["type"] == "system" and event.get("subtype") == subtype
        )


class Conversation:
    """A running headless client; leaving the context kills what is left of it."""

    def __init__(
        self, argv: Sequence[str], *, cwd: Path, environment: Mapping[str, str], limit: float
    ) -> None:
        self._started = time.monotonic()
        self._limit = limit
        self._process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._stderr: list[str] = []
        self._events: list[Json] = []
        self._timed_out = False
        self._readers = (
            threading.Thread(target=self._read_stdout, args=(self._process.stdout,), daemon=True),
            threading.Thread(target=self._read_stderr, args=(self._process.stderr,), daemon=True),
        )

    def __enter__(self) -> Self:
        for reader in self._readers:
            reader.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def events(self) -> tuple[Json, ...]:
        return tuple(self._events)

    def send(self, text: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(text)
        self._process.stdin.flush()

    def prompt(self, text: str) -> None:
        """Sends one prompt in the `stream-json` form without waiting for its answer."""
        message = {"type": "user", "message": {"role": "user", "content": text}}
        self.send(json.dumps(message) + "\n")

    def say(self, text: str) -> tuple[Json, ...]:
        """Sends one prompt and gives the events up to and with its `result`."""
        before = len(self._events)
        self.prompt(text)
        while (event := self._next()) is not None:
            if event["type"] == "result":
                break
        return tuple(self._events[before:])

    def close_input(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()

    def finish(self) -> Result:
        """Closes the input and waits for the client's own end."""
        self.close_input()
        while self._next() is not None:
            pass
        if not self._timed_out:
            # Its output is closed, its end a moment away.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=10)
        self._end()
        return Result(
            exit_code=self._process.returncode,
            events=self.events,
            stderr="".join(self._stderr),
            seconds=time.monotonic() - self._started,
            timed_out=self._timed_out,
        )

    def _next(self) -> Json | None:
        left = self._started + self._limit - time.monotonic()
        try:
            line = self._lines.get(timeout=max(left, 0.001))
        except queue.Empty:
            self._timed_out = True
            return None
        if line is None:
            return None
        event = _event(line)
        self._events.append(event)
        return event

    def _end(self) -> None:
        if self._process.poll() is None:
            kill_tree(self._process.pid)
        self._process.wait()
        for reader in self._readers:
            reader.join(timeout=5)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()

    def _read_stdout(self, stream: IO[str]) -> None:
        for line in stream:
            if line.strip():
                self._lines.put(line)
        self._lines.put(None)

    def _read_stderr(self, stream: IO[str]) -> None:
        self._stderr.extend(stream)


def _event(line: str) -> Json:
    try:
        event: Json = json.loads(line)
    except ValueError:
        # A refusal to start is plain text in the middle of nothing.
        return {"type": "text", "text": line}
    return event
