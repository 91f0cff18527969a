"""A browser as far as the live page is concerned: it has a cookie, and sends what it is told."""

import http.client
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode, urlsplit

from untildone.engine.context import Context
from untildone.web.access import Access
from untildone.web.queue_source import QueueSource
from untildone.web.server import make_server, open_listener

TIMEOUT = 20


class Answer:
    def __init__(self, answer: http.client.HTTPResponse) -> None:
        self.status = answer.status
        self.headers = {name.lower(): value for name, value in answer.getheaders()}
        self.text = answer.read().decode()

    @property
    def shown(self) -> str:
        """The text of the page, as a reader sees it."""
        inner = re.sub(r"<[^>]+>", " ", self.text.partition("<main")[2] or self.text)
        return " ".join(inner.split())


class LivePage:
    """A running server, and the link that it has printed."""

    def __init__(
        self, access: Access, port: int, *, told: list[str], end: Callable[[], None]
    ) -> None:
        self.access = access
        self.end = end
        self.port = port
        self.host = f"127.0.0.1:{port}"
        self.told = told
        self.cookie = ""

    def open_link(self, link: str = "") -> Answer:
        """Visit a link, by default the printed one, and keep the cookie."""
        parts = urlsplit(link or self.access.link)
        answer = self.request("GET", f"{parts.path}?{parts.query}", cookie="")
        self.cookie = answer.headers.get("set-cookie", "").partition(";")[0]
        return answer

    def get(self, path: str = "/", **headers: str) -> Answer:
        return self.request("GET", f"{self.access.folder}{path}", **headers)

    def post(self, path: str, *, form: dict[str, Any] | None = None, **headers: str) -> Answer:
        """Send a form as a page of ours does."""
        fields = {"token": self.access.form_token, **(form or {})}
        given = {"origin": f"http://{self.host}", "sec-fetch-site": "same-origin", **headers}
        body = urlencode(fields, doseq=True)
        return self.request("POST", f"{self.access.folder}{path}", body=body, **given)

    def request(self, method: str, path: str, *, body: str = "", **headers: str) -> Answer:
        """`cookie` and `host` may be replaced; an empty header is not sent."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {"host": self.host, "cookie": self.cookie, **named}
        try:
            connection.putrequest(method, path, skip_host=True)
            for name, value in sent.items():
                if value:
                    connection.putheader(name, value)
            connection.putheader("content-length", str(len(body)))
            connection.endheaders(body.encode())
            return Answer(connection.getresponse())
        finally:
            connection.close()

    @contextmanager
    def listen(self, path: str) -> Iterator["Events"]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        headers = {"Host": self.host, "Cookie": self.cookie}
        connection.request("GET", f"{self.access.folder}{path}", headers=headers)
        try:
            yield Events(connection.getresponse())
        finally:
            connection.close()


class Events:
    """Server-sent events as they come."""

    def __init__(self, answer: http.client.HTTPResponse) -> None:
        self.answer = answer

    def __iter__(self) -> Iterator[tuple[str, dict[str, str]]]:
        kind = ""
        for raw in self.answer:
            name, _, value = raw.decode().rstrip("\n").partition(": ")
            if name == "event":
                kind = value
            elif name == "data":
                yield kind, json.loads(value)
            elif not name and value:
                yield "alive", {}

    def wait_for(self, part: str, text: str) -> str:
        """The HTML of the next event about this part that has this text."""
        deadline = time.monotonic() + TIMEOUT
        for kind, data in self:
            assert time.monotonic() < deadline, f"no {text!r} in {part!r}"
            if kind == "part" and data["part"] == part and text in data["html"]:
                return data["html"]
        raise AssertionError(f"the stream ended without {text!r} in {part!r}")


@contextmanager
def serve_page(
    context: Context, *, allow_verbs: bool = True, port: int = 0, database: str = ""
) -> Iterator[LivePage]:
    """Serve the live page of this state from a thread, with the link visited already."""
    told: list[str] = []
    with open_listener(port) as listener:
        port = listener.getsockname()[1]
        access = Access(port, allow_verbs=allow_verbs)
        queue = QueueSource(context, database)
        server = make_server(context, access, tell=told.append, queue=queue)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()

        def end() -> None:
            server.should_exit = True
            thread.join()

        try:
            page = LivePage(access, port, told=told, end=end)
            page.open_link()
            yield page
        finally:
            end()
