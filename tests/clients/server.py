"""A scripted model on loopback that speaks the APIs of Codex, Gemini, Qwen, Copilot and opencode.

Each request that offers tools takes one step of the script; past its end the model says "over".
"""

import gzip
import json
import threading
import time
from collections.abc import Iterable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeAlias

from clients import wire
from clients.wire import Answer, Json


class Fail(NamedTuple):
    """An HTTP error instead of an answer."""

    status: int
    text: str = "scripted failure"


class Delay(NamedTuple):
    seconds: float
    then: "str | Answer"


Step: TypeAlias = str | Answer | Fail | Delay


class ModelServer:
    """Plays `script`; `requests` are the bodies of the requests that took a step."""

    def __init__(self, script: Sequence[Step] = (), *, after: Step = "over") -> None:
        self._steps = list(script)
        self._after = after
        self._lock = threading.Lock()
        self.requests: list[Json] = []
        self._http = _Listener(("127.0.0.1", 0), _Handler)
        self._http.model = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

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


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    model: ModelServer

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401  # inherited
        """A client that was killed in the middle of an answer is no error of the test."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Listener

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401  # inherited
        pass

    def do_GET(self) -> None:
        model = {"id": "scripted", "object": "model", "created": 1, "owned_by": "tests"}
        self._send_json(200, {"object": "list", "data": [model], "models": []})

    def do_POST(self) -> None:
        body = self._read_body()
        path = self.path.partition("?")[0]
        if path.endswith(":countTokens"):
            self._send_json(200, {"totalTokens": 10})
            return
        answer = self.server.model.take_step(body)
        if isinstance(answer, Fail):
            error = {"message": answer.text, "code": answer.status, "status": "FAILED"}
            self._send_json(answer.status, {"error": error})
            return
        self._answer(path, body, answer)

    def _answer(self, path: str, body: Json, answer: Answer) -> None:
        model = str(body.get("model", ""))
        if path.endswith("/responses"):
            self._stream(wire.stream_responses(answer, model), named=True)
        elif path.endswith("/chat/completions") and body.get("stream"):
            self._stream([*wire.stream_chat(answer, model), "[DONE]"])
        elif path.endswith("/chat/completions"):
            self._send_json(200, wire.make_chat(answer, model))
        elif path.endswith(":streamGenerateContent"):
            self._stream([wire.make_gemini(answer)])
        elif path.endswith(":generateContent"):
            self._send_json(200, wire.make_gemini(_decide(body, answer)))
        else:
            self._send_json(200, {})

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
        self._send(200, "".join(lines).encode(), kind="text/event-stream")

    def _send_json(self, status: int, value: Json) -> None:
        self._send(status, json.dumps(value).encode(), kind="application/json")

    def _send(self, status: int, data: bytes, *, kind: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _decide(body: Json, answer: Answer) -> Answer:
    """Gemini asks beside the work who speaks next and which model to take, and wants JSON."""
    wanted = (body.get("generationConfig") or {}).get("responseMimeType")
    if body.get("tools") or wanted != "application/json":
        return answer
    choices = {"reasoning": "x", "next_speaker": "user", "model_choice": "flash"}
    return (json.dumps(choices),)
