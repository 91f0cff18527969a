"""Servers that flood, hang, die or break the protocol: a reason, and no process left."""

import os
import threading
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from checks.lsp.fakes import LIMITS, diagnose, server, start_client, write_file
from untildone.checks.lsp.client import Client, ServerAnswer
from untildone.checks.lsp.connection import ServerLimits
from untildone.checks.lsp.servers import SelectedServer
from untildone.process.runner import is_alive

NO_MESSAGE = "sent something that is no message"


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("leaves", "ended by itself"),
        ("ends", "ended by itself"),
        ("garbage", NO_MESSAGE),
        ("usage", NO_MESSAGE),
        ("endless header", NO_MESSAGE),
        ("no length", "sent a message without its length"),
        ("huge", "sent a message of 999999999 bytes, more than 8388608"),
        ("a batch", "sent a message that cannot be read: Expected `object`, got `array`"),
        ("refuses to start", "refused to start: no licence"),
    ],
)
def test_a_broken_server_is_ended_with_the_reason(mode: str, reason: str, tmp_path: Path) -> None:
    file = write_file(tmp_path, "a.txt", "")
    with start_client(mode, tmp_path) as client:
        answer = diagnose(client, file)

    assert answer == ServerAnswer(reasons=(f"`fake` {reason}",))
    assert client.failure == reason


@pytest.mark.parametrize("mode", ["nested", "not JSON", "no diagnostics"])
def test_a_message_that_cannot_be_read_ends_the_server(mode: str, tmp_path: Path) -> None:
    file = write_file(tmp_path, "a.txt", "")
    with start_client(mode, tmp_path) as client:
        diagnose(client, file)

    assert client.failure.startswith("sent a message that cannot be read: ")


@pytest.mark.parametrize(
    "limits",
    [
        replace(LIMITS, received=1_000_000, messages=10**9),
        replace(LIMITS, messages=100, received=10**12),
    ],
    ids=["bytes", "messages"],
)
def test_a_flood_ends_the_server(limits: ServerLimits, tmp_path: Path) -> None:
    file = write_file(tmp_path, "a.txt", "")
    with start_client("flood", tmp_path, limits=limits) as client:
        answer = diagnose(client, file)

    assert answer == ServerAnswer(reasons=("`fake` sent far more than expected",))


def test_a_flood_is_not_kept_in_memory(tmp_path: Path) -> None:
    file = write_file(tmp_path, "a.txt", "")
    with start_client("flood", tmp_path) as client:
        before = resident()
        diagnose(client, file)

        assert client.failure == "sent far more than expected"
        assert resident() - before < 32 * 1024 * 1024


def resident() -> int:
    pages = Path("/proc/self/statm").read_text("ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("mode", ["hangs", "mute"])
def test_who_never_answers_is_ended_in_the_end(mode: str, tmp_path: Path) -> None:
    file = write_file(tmp_path, "a.txt", "")
    hasty = replace(LIMITS, answer_seconds=0.5)
    with start_client(mode, tmp_path, limits=hasty) as client:
        give_up = time.monotonic() + 20
        while not client.failure and time.monotonic() < give_up:
            diagnose(client, file, seconds=0.2)

    assert client.failure == "gave no answer in 0.5 seconds"


def test_who_stops_listening_is_ended(tmp_path: Path) -> None:
    files = [write_file(tmp_path, f"{number}.txt", "x" * 900_000) for number in range(20)]
    with start_client("stops listening", tmp_path) as client:
        answer = diagnose(client, *files)

    assert answer == ServerAnswer(reasons=("`fake` does not read what it is told",))


def test_who_grows_too_large_is_ended(tmp_path: Path) -> None:
    file = write_file(tmp_path, "a.txt", "")
    with start_client("grows", tmp_path, limits=replace(LIMITS, resident=100_000_000)) as client:
        give_up = time.monotonic() + 20
        while not client.failure and time.monotonic() < give_up:
            diagnose(client, file, seconds=0.2)
            client.check()

    assert client.failure == "took more than 95 MB of memory"


def test_nothing_of_a_server_outlives_it(tmp_path: Path) -> None:
    file, born = write_file(tmp_path, "a.txt", ""), tmp_path / "born"
    with start_client("family", tmp_path, str(born)) as client:
        diagnose(client, file)
        grandchild = int(born.read_text(encoding="ascii"))
        assert is_alive(grandchild)

    assert not is_alive(grandchild)


def test_a_program_that_is_not_there_is_a_reason(tmp_path: Path) -> None:
    file = write_file(tmp_path, "a.txt", "")
    program = str(tmp_path / "nothing")
    client = Client(SelectedServer(server=server("pushes"), program=program), tmp_path)

    assert diagnose(client, file) == ServerAnswer(reasons=(f"`fake` `{program}` was not found",))
    client.close()


def test_a_closed_server_leaves_no_thread(tmp_path: Path) -> None:
    file = write_file(tmp_path, "a.txt", "")
    before = threading.active_count()
    with start_client("hangs", tmp_path) as client:
        diagnose(client, file, seconds=0.1)

    give_up = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < give_up:
        time.sleep(0.02)
    assert threading.active_count() == before
