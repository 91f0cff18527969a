"""A language server that behaves as its argument says, well or badly."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

OUT = sys.stdout.buffer
MANY = 5_000


def read() -> dict[str, Any]:
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    if not length:
        raise SystemExit
    message: dict[str, Any] = json.loads(sys.stdin.buffer.read(length))
    return message


def write(data: bytes) -> None:
    OUT.write(data)
    OUT.flush()


def send(message: object) -> None:
    body = json.dumps(message).encode()
    write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))


def diagnostic(text: str, *, line: int = 0, severity: int = 1) -> dict[str, Any]:
    place = {"line": line, "character": 0}
    return {
        "range": {"start": place, "end": place},
        "severity": severity,
        "code": 7,
        "message": text,
    }


def publish(document: dict[str, Any], *found: dict[str, Any], **more: object) -> None:
    params = {"uri": document["uri"], "diagnostics": found, **more}
    send({"method": "textDocument/publishDiagnostics", "params": params})


def greet(**capabilities: object) -> None:
    request = read()
    send({"id": request["id"], "result": {"capabilities": capabilities}})


def for_each_message(take: Callable[[dict[str, Any]], None]) -> None:
    """To the end of the session, polite."""
    while (message := read()).get("method") != "exit":
        if message.get("method") == "shutdown":
            send({"id": message["id"], "result": None})
        take(message)


def read_document(message: dict[str, Any]) -> dict[str, Any] | None:
    """The document with its text, if the message is about one."""
    if message.get("method") not in ("textDocument/didOpen", "textDocument/didChange"):
        return None
    params = message["params"]
    document: dict[str, Any] = params["textDocument"]
    changes = params.get("contentChanges")
    return {**document, "text": changes[0]["text"] if changes else document["text"]}


def pushes() -> None:
    """First nothing, and a moment later what it found."""
    greet()

    def take(message: dict[str, Any]) -> None:
        if document := read_document(message):
            publish(document, version=document["version"])
            time.sleep(0.1)
            publish(document, diagnostic(document["text"]), version=document["version"])

    for_each_message(take)


def works() -> None:
    """Pushes nothing, says that it works, and pushes what it found when it has long been quiet."""
    greet()

    def take(message: dict[str, Any]) -> None:
        if document := read_document(message):
            send({"method": "$/progress", "params": {"token": 1, "value": {"kind": "begin"}}})
            publish(document)
            time.sleep(0.4)
            publish(document, diagnostic(document["text"]))
            send({"method": "$/progress", "params": {"token": 1, "value": {"kind": "end"}}})

    for_each_message(take)


def lags() -> None:
    """Of a changed document it first pushes what it had found in the old one."""
    greet()

    def take(message: dict[str, Any]) -> None:
        document = read_document(message)
        if document and document["version"] > 1:
            publish(document, diagnostic("old"), version=document["version"] - 1)
            time.sleep(0.4)
        if document:
            publish(document, diagnostic(document["text"]), version=document["version"])

    for_each_message(take)


def pulled(*, refusals: int = 0, late: bool = False, quiet_about: str = "") -> None:
    greet(**({} if late else {"diagnosticProvider": {"interFileDependencies": True}}))
    texts: dict[str, str] = {}
    left = refusals

    def take(message: dict[str, Any]) -> None:
        nonlocal left
        if message.get("method") == "initialized" and late:
            time.sleep(0.2)
            offer = {"registrations": [{"id": "1", "method": "textDocument/diagnostic"}]}
            send({"id": 9, "method": "client/registerCapability", "params": offer})
        if document := read_document(message):
            texts[document["uri"]] = document["text"]
        if message.get("method") != "textDocument/diagnostic":
            return
        if left:
            left -= 1
            send({"id": message["id"], "error": {"code": -32802, "message": "later"}})
            return
        text = texts[message["params"]["textDocument"]["uri"]]
        if not quiet_about or text != quiet_about:
            send({"id": message["id"], "result": {"kind": "full", "items": [diagnostic(text)]}})

    for_each_message(take)


def refuses_to_answer() -> None:
    greet(diagnosticProvider={})

    def take(message: dict[str, Any]) -> None:
        if message.get("method") == "textDocument/diagnostic":
            send({"id": message["id"], "error": {"code": -32603, "message": "broken"}})

    for_each_message(take)


def asks() -> None:
    """Reports as diagnostics what it was answered."""
    greet()
    items = [{"section": "python"}, {"section": "other"}]
    send({"id": "a", "method": "workspace/configuration", "params": {"items": items}})
    send({"id": "b", "method": "workspace/workspaceFolders"})
    send({"id": "c", "method": "workspace/applyEdit", "params": {"edit": {}}})
    send({"id": "d", "method": "window/workDoneProgress/create", "params": {"token": 1}})
    send({"id": "e", "method": "made/up"})
    answers: dict[str, object] = {}
    documents: list[dict[str, Any]] = []

    def take(message: dict[str, Any]) -> None:
        if "method" not in message:
            answers[message["id"]] = message.get("result", message.get("error"))
        if document := read_document(message):
            documents.append(document)
        if documents and len(answers) == 5:
            found = [diagnostic(f"{name} {json.dumps(answers[name])}") for name in sorted(answers)]
            publish(documents.pop(), *found)

    for_each_message(take)


def listens() -> None:
    """Reports each notification that it received, as one diagnostic."""
    greet()
    heard: list[str] = []

    def take(message: dict[str, Any]) -> None:
        method, params = message.get("method", ""), message.get("params") or {}
        for change in params.get("changes", ()):
            heard.append(f"{change['type']} {Path(change['uri']).name}")
        if method.startswith("textDocument/"):
            heard.append(f"{method.partition('/')[2]} {Path(params['textDocument']['uri']).name}")
        if document := read_document(message):
            publish(document, *map(diagnostic, heard))

    for_each_message(take)


def many() -> None:
    greet()

    def take(message: dict[str, Any]) -> None:
        if document := read_document(message):
            publish(document, *(diagnostic(f"thing {number}") for number in range(MANY)))

    for_each_message(take)


def then(act: Callable[[dict[str, Any]], None]) -> Callable[[], None]:
    """Starts well, and misbehaves once a document is opened."""

    def run() -> None:
        greet()

        def take(message: dict[str, Any]) -> None:
            if document := read_document(message):
                act(document)

        for_each_message(take)

    return run


def flood(_document: dict[str, Any]) -> None:
    while True:
        send({"method": "window/logMessage", "params": {"type": 3, "message": "x" * 1_000}})


def leave(_document: dict[str, Any]) -> None:
    raise SystemExit(3)


def nested(_document: dict[str, Any]) -> None:
    deep = b'{"method":"x","params":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    write(b"Content-Length: %d\r\n\r\n%b" % (len(deep), deep))
    time.sleep(60)


def grow(_document: dict[str, Any]) -> None:
    memory = b"x" * 200_000_000
    time.sleep(60)
    del memory


def wait_for_ever() -> None:
    while True:
        time.sleep(60)


def stops_listening() -> None:
    greet()
    wait_for_ever()


def family() -> None:
    """Leaves a grandchild in a session of its own, which holds the pipes."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            Path(sys.argv[2]).write_text(str(os.getpid()), encoding="ascii")
            wait_for_ever()
        os._exit(0)
    pushes()


def says(data: bytes) -> Callable[[], None]:
    def run() -> None:
        write(data)
        time.sleep(60)

    return run


def refuses_to_start() -> None:
    request = read()
    send({"id": request["id"], "error": {"code": 1, "message": "no licence\nat all"}})
    time.sleep(60)


MODES: dict[str, Callable[[], None]] = {
    "pushes": pushes,
    "works": works,
    "lags": lags,
    "pulled": pulled,
    "cancels": lambda: pulled(refusals=2),
    "always cancels": lambda: pulled(refusals=1_000_000),
    "late": lambda: pulled(late=True),
    "quiet about old": lambda: pulled(quiet_about="old"),
    "refuses to answer": refuses_to_answer,
    "asks": asks,
    "listens": listens,
    "many": many,
    "family": family,
    "stops listening": stops_listening,
    "flood": then(flood),
    "leaves": then(leave),
    "nested": then(nested),
    "grows": then(grow),
    "mute": then(lambda _document: None),
    "no diagnostics": then(lambda document: publish(document, {"range": "here"})),
    "a batch": then(lambda _document: send([])),
    "not JSON": then(lambda _document: write(b"Content-Length: 4\r\n\r\n{{{{")),
    "garbage": says(bytes(range(256)) * 40),
    "usage": says(b"usage: server [OPTIONS]\n"),
    "no length": says(b"Content-Type: text/plain\r\n\r\n{}"),
    "huge": says(b"Content-Length: 999999999\r\n\r\n{}"),
    "endless header": says(b"Content-Type: " + b"x" * 5_000),
    "ends": lambda: None,
    "hangs": wait_for_ever,
    "refuses to start": refuses_to_start,
}

if __name__ == "__main__":
    MODES[sys.argv[1]]()
