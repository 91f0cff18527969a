"""Pooled servers: asked in parallel, restarted after a failure, ended when idle."""

import socket
import sys
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from checks.lsp.fakes import LIMITS, PATIENCE, server, write_file
from untildone.checks.lsp import daemon_socket
from untildone.checks.lsp.daemon_socket import DiagnosticsReport, open_listener
from untildone.checks.lsp.pool import MOST_FAILURES, MOST_FILES, ServerPool, serve_pool
from untildone.checks.lsp.servers import Role, Server

PATH = str(Path(sys.executable).parent)


def make_pool(project: Path, *servers: Server) -> ServerPool:
    return ServerPool(project, path=PATH, limits=LIMITS, servers=servers)


def make_server(mode: str, name: str, role: Role) -> Server:
    return replace(server(mode), name=name, role=role)


def texts(report: DiagnosticsReport) -> list[tuple[str, tuple[str, ...], list[str]]]:
    return [
        (Path(file.path).name, file.servers, [finding.text for finding in file.findings])
        for file in report.files
    ]


def test_all_servers_of_a_file_are_asked(tmp_path: Path) -> None:
    file = write_file(tmp_path, "a.txt", "text")
    servers = (make_server("pushes", "one", "lint"), make_server("pulled", "two", "types"))
    with closing(make_pool(tmp_path, *servers)) as warm:
        report = warm.diagnose([file, file], seconds=PATIENCE)

    assert texts(report) == [("a.txt", ("one", "two"), ["text", "text"])]
    assert [finding.check for finding in report.files[0].findings] == ["one", "two"]
    assert len({finding.fingerprint for finding in report.files[0].findings}) == 2
    assert report.reasons == ()


def test_what_one_server_says_does_not_wait_for_another(tmp_path: Path) -> None:
    file = write_file(tmp_path, "a.txt", "text")
    servers = (make_server("pulled", "one", "lint"), make_server("hangs", "two", "types"))
    with closing(make_pool(tmp_path, *servers)) as warm:
        report = warm.diagnose([file], seconds=2)

    assert texts(report) == [("a.txt", ("one",), ["text"])]
    assert report.reasons == ("`two` is still starting",)


def test_a_file_nobody_knows_is_missing(tmp_path: Path) -> None:
    with closing(make_pool(tmp_path, server("pulled"))) as warm:
        report = warm.diagnose([write_file(tmp_path, "a.unknown", "")], seconds=PATIENCE)

    assert (report.files, report.reasons) == ((), ())


@pytest.mark.parametrize("mode", ["pushes", "pulled"])
def test_a_text_may_stand_for_a_file(tmp_path: Path, mode: str) -> None:
    file = write_file(tmp_path, "a.txt", "now")
    with closing(make_pool(tmp_path, server(mode))) as warm:
        asked = [
            warm.diagnose([file], seconds=PATIENCE, texts=texts_given)
            for texts_given in ({file: "before"}, {}, {file: "before"}, {file: "now"})
        ]

    assert [texts(report)[0][2] for report in asked] == [["before"], ["now"], ["before"], ["now"]]


def test_a_server_stays_warm_and_hears_of_the_disk(tmp_path: Path) -> None:
    file = write_file(tmp_path, "a.txt", "1")
    with closing(make_pool(tmp_path, server("listens"))) as warm:
        warm.diagnose([file], seconds=PATIENCE)
        write_file(tmp_path, "b.txt", "")
        write_file(tmp_path, "a.txt", "22")
        report = warm.diagnose([file], seconds=PATIENCE)

    heard = ["didOpen a.txt", "1 b.txt", "2 a.txt", "didChange a.txt"]
    (only,) = texts(report)
    assert (sorted(only[2][:3]), only[2][3:]) == (sorted(heard[:3]), heard[3:])


def test_a_server_that_fails_is_started_again_but_not_for_ever(tmp_path: Path) -> None:
    file = write_file(tmp_path, "a.txt", "")
    with closing(make_pool(tmp_path, server("leaves"))) as warm:
        reports = [warm.diagnose([file], seconds=PATIENCE) for _ in range(MOST_FAILURES + 1)]

    failed = "`fake` ended by itself"
    assert [report.reasons for report in reports] == [
        *[(failed,)] * MOST_FAILURES,
        ("`fake` is not started again: it ended by itself",),
    ]


def test_only_so_many_files_are_looked_at(tmp_path: Path) -> None:
    files = [write_file(tmp_path, f"{number}.txt", "x") for number in range(MOST_FILES + 2)]
    with closing(make_pool(tmp_path, server("pulled"))) as warm:
        report = warm.diagnose(files, seconds=PATIENCE)

    assert len(report.files) == MOST_FILES
    assert report.reasons == ("2 files are left out",)


def test_it_serves_until_nobody_asks(tmp_path: Path) -> None:
    file = write_file(tmp_path, "a.txt", "text")
    with (
        open_listener(tmp_path) as (listener, own),
        closing(make_pool(tmp_path, server("pulled"))) as warm,
    ):
        thread = serve_in_thread(listener, warm, token=own.token, idle=1.0)
        report = daemon_socket.query_daemon(own, (str(file),), wait=PATIENCE)
        thread.join(PATIENCE)

        assert not thread.is_alive()
    assert texts(report) == [("a.txt", ("fake",), ["text"])]


def test_strangers_do_not_keep_it_up(tmp_path: Path) -> None:
    with open_listener(tmp_path) as (listener, own), closing(make_pool(tmp_path)) as warm:
        thread = serve_in_thread(listener, warm, token=own.token[::-1], idle=1.0)
        began = time.monotonic()
        while thread.is_alive() and time.monotonic() - began < PATIENCE:
            with suppress(daemon_socket.NoAnswerError):
                daemon_socket.query_daemon(own, (), wait=0.1)

        assert not thread.is_alive()


def test_it_ends_when_it_is_no_longer_wanted(tmp_path: Path) -> None:
    with open_listener(tmp_path) as (listener, own), closing(make_pool(tmp_path)) as warm:
        serve_pool(listener, warm, token=own.token, idle=600, is_wanted=lambda: False)


def serve_in_thread(
    listener: socket.socket, warm: ServerPool, *, token: str, idle: float
) -> threading.Thread:
    def run() -> None:
        serve_pool(listener, warm, token=token, idle=idle, is_wanted=lambda: True)

    thread = threading.Thread(target=run)
    thread.start()
    return thread
