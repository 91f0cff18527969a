"""The socket of the daemon that keeps servers running: a JSON line in, a JSON line out."""

import secrets
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from untildone.core.check_results import Finding

LONGEST_WAIT = 60.0

_LARGEST_REQUEST = 32 * 1024 * 1024
_LARGEST_REPLY = 32 * 1024 * 1024
_MOST_WAITING = 8
_IO_SECONDS = 2.0
# macOS allows 104 bytes, including the one that ends the address.
_LONGEST_ADDRESS = 100


class DaemonAddress(Struct, frozen=True, kw_only=True):
    """A socket file or a local port, and the token that a request must have."""

    token: str
    socket: str = ""
    port: int = 0


class DiagnosticsRequest(Struct, frozen=True, kw_only=True):
    token: str
    files: tuple[str, ...]
    seconds: float
    # The content to use for a file instead of that on disk.
    texts: dict[str, str] = {}


class FileReport(Struct, frozen=True, kw_only=True):
    """All findings in one file, by the servers that answered."""

    path: str
    servers: tuple[str, ...]
    findings: tuple[Finding, ...]


class DiagnosticsReport(Struct, frozen=True, kw_only=True):
    """The reports of files; those without an answer are missing, and `reasons` explain why."""

    files: tuple[FileReport, ...] = ()
    reasons: tuple[str, ...] = ()
    seconds: float = 0


class NoAnswerError(Exception):
    """The daemon gave no valid answer in time."""


class UnreachableError(NoAnswerError):
    """The daemon does not accept connections."""


@contextmanager
def open_listener(folder: Path) -> Iterator[tuple[socket.socket, DaemonAddress]]:
    """Open a socket to listen on, and remove it afterwards."""
    token = secrets.token_hex(16)
    path = folder / "diagnose.socket"
    if sys.platform == "win32" or not _fits_address(path):
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


def _fits_address(path: Path) -> bool:
    """Say whether the path is short enough for a socket and can be stored as text."""
    try:
        return len(str(path).encode()) <= _LONGEST_ADDRESS
    except UnicodeEncodeError:
        return False


def query_daemon(
    address: DaemonAddress,
    files: tuple[str, ...],
    *,
    wait: float,
    texts: dict[str, str] | None = None,
) -> DiagnosticsReport:
    """Return the daemon's report; even without time to wait the daemon is set to work."""
    deadline = time.monotonic() + wait
    with _connect(address) as connection:
        try:
            request = DiagnosticsRequest(
                token=address.token, files=files, seconds=wait, texts=texts or {}
            )
            connection.sendall(msgspec.json.encode(request) + b"\n")
            return msgspec.json.decode(
                _receive_line(connection, _LARGEST_REPLY, deadline), type=DiagnosticsReport
            )
        except (OSError, msgspec.DecodeError, UnicodeError) as error:
            raise NoAnswerError(str(error)) from error


def _connect(address: DaemonAddress) -> socket.socket:
    try:
        if sys.platform == "win32" or address.port:
            return socket.create_connection(("127.0.0.1", address.port), timeout=_IO_SECONDS)
        with ExitStack() as stack:
            connection = stack.enter_context(socket.socket(socket.AF_UNIX))
            connection.settimeout(_IO_SECONDS)
            connection.connect(address.socket)
            # The caller closes it.
            stack.pop_all()
            return connection
    except OSError as error:
        raise UnreachableError(str(error)) from error


def serve_connection(
    connection: socket.socket,
    *,
    token: str,
    report: Callable[[DiagnosticsRequest], DiagnosticsReport],
) -> bool:
    """Answer one request; return False if it has the wrong token or cannot be read."""
    with connection:
        try:
            text = _receive_line(connection, _LARGEST_REQUEST, time.monotonic() + _IO_SECONDS)
            request = msgspec.json.decode(text, type=DiagnosticsRequest)
        except (OSError, msgspec.DecodeError, UnicodeError):
            return False
        if not secrets.compare_digest(request.token.encode(), token.encode()):
            return False
        reply = msgspec.json.encode(report(request)) + b"\n"
        # The other side may have stopped waiting.
        with suppress(OSError):
            connection.settimeout(_IO_SECONDS)
            connection.sendall(reply)
    return True


def _receive_line(connection: socket.socket, largest: int, deadline: float) -> bytes:
    received = bytearray()
    while not received.endswith(b"\n"):
        seconds = deadline - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("no answer in time")
        connection.settimeout(seconds)
        data = connection.recv(64 * 1024)
        if not data or len(received) + len(data) > largest:
            raise ConnectionError("the answer was cut off")
        received += data
    return bytes(received)
