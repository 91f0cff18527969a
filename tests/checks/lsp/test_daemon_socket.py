"""Requests to the daemon: who may send them, and what happens to invalid ones."""

import socket
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from untildone.checks.lsp import daemon_socket
from untildone.checks.lsp.daemon_socket import (
    DaemonAddress,
    DiagnosticsReport,
    DiagnosticsRequest,
    NoAnswerError,
    UnreachableError,
    open_listener,
)

REPORT = DiagnosticsReport(reasons=("as `told`",), seconds=1.5)


@contextmanager
def serve_answers(
    folder: Path,
    report: Callable[[DiagnosticsRequest], DiagnosticsReport] = lambda _request: REPORT,
) -> Iterator[tuple[DaemonAddress, list[bool]]]:
    """One question is answered; the list says how that went."""
    answered: list[bool] = []
    with open_listener(folder) as (listener, own):

        def one() -> None:
            line, _ = listener.accept()
            answered.append(daemon_socket.serve_connection(line, token=own.token, report=report))

        thread = threading.Thread(target=one)
        thread.start()
        try:
            yield own, answered
        finally:
            thread.join(20)


def make_long_folder(folder: Path) -> Path:
    """A place with no room for it in a socket's address."""
    place = folder / ("x" * 120)
    place.mkdir()
    return place


def connect(own: DaemonAddress) -> socket.socket:
    line = socket.socket(socket.AF_UNIX)
    line.connect(own.socket)
    return line


@pytest.mark.parametrize(
    "place", [lambda folder: folder, make_long_folder], ids=["socket file", "port"]
)
def test_a_question_is_answered(place: Callable[[Path], Path], tmp_path: Path) -> None:
    folder = place(tmp_path)
    with serve_answers(folder) as (own, answered):
        assert daemon_socket.query_daemon(own, ("a.py",), wait=20) == REPORT

    assert answered == [True]
    assert (bool(own.socket), bool(own.port)) == (folder == tmp_path, folder != tmp_path)
    assert list(folder.glob("*.socket")) == []


def test_the_socket_is_for_its_owner_only(tmp_path: Path) -> None:
    with open_listener(tmp_path) as (_, own):
        assert stat.S_IMODE(Path(own.socket).stat().st_mode) == 0o600


def test_without_the_token_nothing_is_answered(tmp_path: Path) -> None:
    with serve_answers(tmp_path) as (own, answered), pytest.raises(NoAnswerError):
        daemon_socket.query_daemon(replace(own, token=own.token[::-1]), ("a.py",), wait=20)

    assert answered == [False]


@pytest.mark.parametrize("said", [b"", b"\xff\n", b"{}\n", b"x" * 2_000_000], ids=len)
def test_nonsense_is_not_answered(said: bytes, tmp_path: Path) -> None:
    with serve_answers(tmp_path) as (own, answered), connect(own) as line:
        try:
            line.sendall(said)
            line.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    assert answered == [False]


def test_who_says_nothing_is_sent_away(tmp_path: Path) -> None:
    with serve_answers(tmp_path) as (own, answered), connect(own) as line:
        assert line.recv(1) == b""

    assert answered == [False]


def test_nobody_waits_longer_than_he_wants(tmp_path: Path) -> None:
    def slowly(_request: DiagnosticsRequest) -> DiagnosticsReport:
        time.sleep(1)
        return REPORT

    with serve_answers(tmp_path, slowly) as (own, answered):
        began = time.monotonic()
        with pytest.raises(NoAnswerError):
            daemon_socket.query_daemon(own, ("a.py",), wait=0.1)
        assert time.monotonic() - began < 0.9

    assert answered == [True]


def test_a_closed_listener_is_unreachable(tmp_path: Path) -> None:
    with open_listener(tmp_path) as (_, own):
        pass

    with pytest.raises(UnreachableError):
        daemon_socket.query_daemon(own, ("a.py",), wait=1)
    with pytest.raises(UnreachableError):
        daemon_socket.query_daemon(DaemonAddress(token="", port=1), ("a.py",), wait=1)
