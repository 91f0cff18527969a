"""A scripted model on loopback that speaks the APIs of Codex, Gemini, Qwen, Copilot and opencode.

Each request that offers tools takes one step of the script; past its end the model says "over".
"""

import gzip
import json
import threading
import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from clients import wire
from clients.wire import Answer, Json
from loopback_server import JsonHandler, LoopbackServer


class Fail(NamedTuple):
    """An HTTP error instead of an answer."""

    status: int
    text: str = "scripted failure"


class Delay(NamedTuple):
    seconds: float
    then: "str | Answer"


Step: TypeAlias = str | Answer | Fail | Delay


class ModelServer(LoopbackServer):
    """Plays `script`; `requests` are the bodies of the requests that took a step."""

    def __init__(self, script: Sequence[Step] = (), *, after: Step = "over") -> None:
        super().__init__(_Handler)
        self._steps = list(script)
        self._after = after
        self._lock = threading.Lock()
        self.requests: list[Json] = []

    def add_steps(self, *steps: Step) -> None:
        with self._lock:
            self._steps.extend(steps)

    def sent_text(self, text: str) -> bool:
        """Whether any request of the agent carried this text."""
        return any(text in json.dumps(body, ensure_ascii=False) for body in self.requests)

    def take_step(self, body: Json) -> Answer | Fail:
        if not body.get("tools"):
            return ("ok",)
        with self._lock:
            self.requests.append(body)
            step = self._steps.pop(0) if self._steps else self._after
        if isinstance(step, Delay):
            time.sleep(step.seconds)
            step = step.then
        return (step,) if isinstance(step, str) else step


class _Handler(JsonHandler[ModelServer]):
    def do_GET(self) -> None:  # noqa: N802  # inherited
        model = {"id": "scripted", "object": "model", "created": 1, "owned_by": "tests"}
        self.send_json(200, {"object": "list", "data": [model], "models": []})

    def do_POST(self) -> None:  # noqa: N802  # inherited
        body = self._read_body()
        path = self.path.partition("?")[0]
        if path.endswith(":countTokens"):
            self.send_json(200, {"totalTokens": 10})
            return
        answer = self.owner.take_step(body)
        if isinstance(answer, Fail):
            error = {"message": answer.text, "code": answer.status, "status": "FAILED"}
            # Clients repeat the request by themselves, some for a minute if nobody tells when.
            self.send_json(answer.status, {"error": error}, retry_after="0")
            return
        self._answer(path, body, answer)

    def _answer(self, path: str, body: Json, answer: Answer) -> None:
        model = str(body.get("model", ""))
        if path.endswith("/responses"):
            self._stream(wire.stream_responses(answer, model), named=True)
        elif path.endswith("/chat/completions") and body.get("stream"):
            self._stream([*wire.stream_chat(answer, model), "[DONE]"])
        elif path.endswith("/chat/completions"):
            self.send_json(200, wire.make_chat(answer, model))
        elif path.endswith(":streamGenerateContent"):
            self._stream([wire.make_gemini(answer)])
        elif path.endswith(":generateContent"):
            self.send_json(200, wire.make_gemini(_decide(body, answer)))
        else:
            self.send_json(200, {})

    def _read_body(self) -> Json:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            raw = b"".join(iter(self._read_chunk, b""))
        else:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "gzip":
            raw = gzip.decompress(raw)
        value = json.loads(raw or b"{}")
        return value if isinstance(value, dict) else {}

    def _read_chunk(self) -> bytes:
        size = int(self.rfile.readline().strip() or b"0", 16)
        data = self.rfile.read(size)
        self.rfile.readline()
        return data

    def _stream(self, events: Iterable[Json | str], *, named: bool = False) -> None:
        lines = []
        for event in events:
            if named and isinstance(event, dict):
                lines.append(f"event: {event['type']}\n")
            lines.append(f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n")
        self.send_data(200, "".join(lines).encode(), kind="text/event-stream")


def _decide(body: Json, answer: Answer) -> Answer:
    """Gemini asks beside the work who speaks next and which model to take, and wants JSON."""
    wanted = (body.get("generationConfig") or {}).get("responseMimeType")
    if body.get("tools") or wanted != "application/json":
        return answer
    choices = {"reasoning": "x", "next_speaker": "user", "model_choice": "flash"}
    return (json.dumps(choices),)
