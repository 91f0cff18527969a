"""How the process that keeps servers warm is asked: one line there, one line back."""

import secrets
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from untildone.core.model import Finding

LONGEST_WAIT = 60.0

_LARGEST_REQUEST = 32 * 1024 * 1024
_LARGEST_REPLY = 32 * 1024 * 1024
_MOST_WAITING = 8
_SPEAKING_SECONDS = 2.0
# macOS has room for 104 bytes, with the one that ends it.
_LONGEST_ADDRESS = 100


class DaemonAddress(Struct, frozen=True, kw_only=True):
    """Where to knock: a socket file, or a port of this machine; `token` is the key."""

    token: str
    socket: str = ""
    port: int = 0


class DiagnosticsRequest(Struct, frozen=True, kw_only=True):
    token: str
    files: tuple[str, ...]
    seconds: float
    # What to take for the content of a file, instead of what is on the disk.
    texts: dict[str, str] = {}


class FileReport(Struct, frozen=True, kw_only=True):
    """All that was found in one file, by the servers that answered."""

    path: str
    servers: tuple[str, ...]
    findings: tuple[Finding, ...]


class DiagnosticsReport(Struct, frozen=True, kw_only=True):
    """A file that no server answered for is missing; `reasons` tell why."""

    files: tuple[FileReport, ...] = ()
    reasons: tuple[str, ...] = ()
    seconds: float = 0


class NoAnswerError(Exception):
    """Nobody is there, or not in time."""


class UnreachableError(NoAnswerError):
    """Not even the question could be put."""


@contextmanager
def open_listener(folder: Path) -> Iterator[tuple[socket.socket, DaemonAddress]]:
    """A socket to listen on; gone again afterwards."""
    token = secrets.token_hex(16)
    path = folder / "diagnose.socket"
    if sys.platform == "win32" or not _fits(path):
        with socket.create_server(("127.0.0.1", 0), backlog=_MOST_WAITING) as listener:
            yield listener, DaemonAddress(token=token, port=listener.getsockname()[1])
        return
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen(_MOST_WAITING)
        try:
            yield listener, DaemonAddress(token=token, socket=str(path))
        finally:
            path.unlink(missing_ok=True)


def _fits(path: Path) -> bool:
    """Into the system's address, and into a door that is written down."""
    try:
        return len(str(path).encode()) <= _LONGEST_ADDRESS
    except UnicodeEncodeError:
        return False


def query_daemon(
    door: DaemonAddress, files: tuple[str, ...], *, wait: float, texts: dict[str, str] | None = None
) -> DiagnosticsReport:
    """The question is put even if there is no time to wait for the answer."""
    deadline = time.monotonic() + wait
    with _knocked(door) as line:
        try:
            question = DiagnosticsRequest(
                token=door.token, files=files, seconds=wait, texts=texts or {}
            )
            line.sendall(msgspec.json.encode(question) + b"\n")
            return msgspec.json.decode(
                _line(line, _LARGEST_REPLY, deadline), type=DiagnosticsReport
            )
        except (OSError, msgspec.DecodeError, UnicodeError) as error:
            raise NoAnswerError(str(error)) from error


def _knocked(door: DaemonAddress) -> socket.socket:
    try:
        if sys.platform == "win32" or door.port:
            return socket.create_connection(("127.0.0.1", door.port), timeout=_SPEAKING_SECONDS)
        return _connected(socket.socket(socket.AF_UNIX), door.socket)
    except OSError as error:
        raise UnreachableError(str(error)) from error


def _connected(line: socket.socket, path: str) -> socket.socket:
    try:
        line.settimeout(_SPEAKING_SECONDS)
        line.connect(path)
    except OSError:
        line.close()
        raise
    return line


def serve_connection(
    line: socket.socket, *, token: str, report: Callable[[DiagnosticsRequest], DiagnosticsReport]
) -> bool:
    """False if it was nobody who may ask, or nothing that can be answered."""
    with line:
        try:
            text = _line(line, _LARGEST_REQUEST, time.monotonic() + _SPEAKING_SECONDS)
            request = msgspec.json.decode(text, type=DiagnosticsRequest)
        except (OSError, msgspec.DecodeError, UnicodeError):
            return False
        if not secrets.compare_digest(request.token.encode(), token.encode()):
            return False
        reply = msgspec.json.encode(report(request)) + b"\n"
        # Whoever asked may not have waited.
        with suppress(OSError):
            line.settimeout(_SPEAKING_SECONDS)
            line.sendall(reply)
    return True


def _line(line: socket.socket, largest: int, deadline: float) -> bytes:
    received = bytearray()
    while not received.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("no answer in time")
        line.settimeout(left)
        data = line.recv(64 * 1024)
        if not data or len(received) + len(data) > largest:
            raise ConnectionError("the answer was cut off")
        received += data
    return bytes(received)
