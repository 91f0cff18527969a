"""An HTTP server on loopback in a thread of the test, from which scripted models are made."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Generic, Self, TypeVar


class LoopbackServer:
    """Serves in a context; its handlers find this object as `self.server.owner`."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self._http = _Listener(("127.0.0.1", 0), handler)
        self._http.owner = self
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


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    owner: Any

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401  # inherited
        """A client that was killed in the middle of an answer is no error of the test."""


Owner = TypeVar("Owner", bound=LoopbackServer)


class JsonHandler(BaseHTTPRequestHandler, Generic[Owner]):
    """Sends JSON and streams of events; logs nothing."""

    protocol_version = "HTTP/1.1"
    server: _Listener

    @property
    def owner(self) -> Owner:
        owner: Owner = self.server.owner
        return owner

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401  # inherited
        pass

    def send_json(self, status: int, value: dict[str, Any], **headers: str) -> None:
        self.send_data(status, json.dumps(value).encode(), kind="application/json", **headers)

    def send_data(self, status: int, data: bytes, *, kind: str, **headers: str) -> None:
        """Send these bytes; `retry_after` is the header `retry-after`."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
