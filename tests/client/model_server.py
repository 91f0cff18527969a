"""A scripted stand-in for the Anthropic Messages API, served on loopback from a thread."""

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType

from client import model_wire
from client.model_request import Json, Request
from client.script import Answer, Fail, Gate, Step, take
from loopback_server import JsonHandler, LoopbackServer


class ModelServer(LoopbackServer):
    """Plays `script`: every request of the working agent takes one step, past its end `after`.

    Requests beside the work (summaries for a compaction, titles, judges of prompt hooks) take
    no step: `aside` answers them. Requests of subagents take steps of `subagents` if that is
    given, else of `script`.
    """

    def __init__(
        self,
        script: Sequence[Step] = (),
        *,
        after: Step = "the script is over",
        aside: Callable[[Request], str] = lambda _: "<summary>aside</summary>",
        subagents: Sequence[Step] | None = None,
    ) -> None:
        super().__init__(_Handler)
        self._steps = list(script)
        self._subagent_steps = self._steps if subagents is None else list(subagents)
        self._after = after
        self._aside = aside
        self._gates = [step for step in (*script, *(subagents or ())) if isinstance(step, Gate)]
        self._lock = threading.Lock()
        self._recorded: list[Request] = []

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for gate in self._gates:
            gate.open()
        super().__exit__(kind, error, trace)

    @property
    def all_requests(self) -> tuple[Request, ...]:
        with self._lock:
            return tuple(self._recorded)

    @property
    def requests(self) -> tuple[Request, ...]:
        """The requests of the main loop, in order."""
        return tuple(item for item in self.all_requests if item.main)

    @property
    def asides(self) -> tuple[Request, ...]:
        return tuple(item for item in self.all_requests if not item.main and not item.agent)

    @property
    def subagent_requests(self) -> tuple[Request, ...]:
        return tuple(item for item in self.all_requests if item.agent)

    @property
    def reached_model(self) -> tuple[tuple[str, ...], ...]:
        """For each main request the texts that the one before it did not carry."""
        return tuple(item.new_texts for item in self.requests)

    def wait_for_requests(self, count: int, timeout: float = 15) -> None:
        deadline = time.monotonic() + timeout
        while len(self.requests) < count:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{len(self.requests)} of {count} requests in {timeout} s")
            time.sleep(0.02)

    def answer(self, body: Json, headers: Mapping[str, str]) -> Answer | Fail:
        with self._lock:
            request = Request.received(body, headers, earlier=self._recorded)
            self._recorded.append(request)
            step = self._next_step(request)
        # Outside the lock: a step may wait for what the test does meanwhile.
        return take(step, request)

    def _next_step(self, request: Request) -> Step:
        if request.compacts or not request.tools:
            return self._aside(request)
        steps = self._subagent_steps if request.agent else self._steps
        return steps.pop(0) if steps else self._after


class _Handler(JsonHandler[ModelServer]):
    def do_HEAD(self) -> None:  # noqa: N802  # inherited
        self.send_data(200, b"", kind="application/json")

    def do_GET(self) -> None:  # noqa: N802  # inherited
        self.send_json(200, {"data": [], "has_more": False, "first_id": None, "last_id": None})

    def do_POST(self) -> None:  # noqa: N802  # inherited
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.partition("?")[0]
        if path == "/v1/messages/count_tokens":
            self.send_json(200, {"input_tokens": 100})
        elif path == "/v1/messages":
            self._send_answer(json.loads(raw))
        else:
            self.send_json(404, model_wire.error("not_found_error", path))

    def _send_answer(self, body: Json) -> None:
        answer = self.owner.answer(body, dict(self.headers.items()))
        if isinstance(answer, Fail):
            self.send_json(answer.status, model_wire.error(answer.kind, answer.text))
            return
        message = model_wire.message(answer, model=str(body.get("model", "")))
        if body.get("stream"):
            self.send_data(200, model_wire.stream(message), kind="text/event-stream")
        else:
            self.send_json(200, message)
