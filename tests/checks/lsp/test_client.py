"""The client with fake servers that behave like different real ones."""

import json
import os
import time
from pathlib import Path

import pytest

from checks.lsp.fake_server import MANY
from checks.lsp.fakes import LIMITS, diagnose, start_client, texts, write_file
from untildone.checks.findings import Diagnostic
from untildone.checks.lsp.client import ServerAnswer
from untildone.checks.lsp.documents import LARGEST_FILE, MOST_OPEN
from untildone.checks.lsp.watch import CHANGED, CREATED


@pytest.mark.parametrize("mode", ["pushes", "works", "lags", "pulled", "cancels", "late"])
def test_says_what_the_server_found_in_the_file_as_it_is_now(mode: str, tmp_path: Path) -> None:
    file = write_file(tmp_path, "a.txt", "first")
    with start_client(mode, tmp_path) as client:
        before = diagnose(client, file)
        write_file(tmp_path, "a.txt", "second")
        after = diagnose(client, file)
        unchanged = diagnose(client, file)

    assert [texts(answer) for answer in (before, after, unchanged)] == [
        {"a.txt": ["first"]},
        {"a.txt": ["second"]},
        {"a.txt": ["second"]},
    ]
    assert before == ServerAnswer(
        found={file: (Diagnostic(path="a.txt", line=1, code="F7", severity="error", text="first"),)}
    )


def test_several_files_are_asked_about_at_once(tmp_path: Path) -> None:
    files = [write_file(tmp_path, f"{name}.txt", name) for name in ("a", "b")]
    with start_client("pulled", tmp_path) as client:
        answer = diagnose(client, *files)

    assert texts(answer) == {"a.txt": ["a"], "b.txt": ["b"]}


def test_what_the_server_asks_is_answered(tmp_path: Path) -> None:
    file = write_file(tmp_path, "a.txt", "")
    with start_client("asks", tmp_path) as client:
        reported = dict(text.split(" ", 1) for text in texts(diagnose(client, file))["a.txt"])

    assert {name: json.loads(text) for name, text in reported.items()} == {
        "a": [{"pyrefly": {"displayTypeErrors": "force-on"}}, None],
        "b": [{"uri": tmp_path.as_uri(), "name": tmp_path.name}],
        "c": {"applied": False},
        "d": None,
        "e": {"code": -32601, "message": "made/up is not offered"},
    }


def test_a_server_hears_of_other_open_files_and_changes_on_disk(tmp_path: Path) -> None:
    one, two = (write_file(tmp_path, name, "1") for name in ("1.txt", "2.txt"))
    with start_client("listens", tmp_path) as client:
        diagnose(client, one)
        write_file(tmp_path, "1.txt", "2")
        client.note_changes([(tmp_path / "new.txt", CREATED), (one, CHANGED)])
        answer = diagnose(client, two)

    assert texts(answer) == {
        "2.txt": ["didOpen 1.txt", "1 new.txt", "2 1.txt", "didChange 1.txt", "didOpen 2.txt"]
    }


def test_a_deleted_file_is_closed(tmp_path: Path) -> None:
    one, two = (write_file(tmp_path, name, "1") for name in ("1.txt", "2.txt"))
    with start_client("listens", tmp_path) as client:
        diagnose(client, one)
        one.unlink()
        answer = diagnose(client, one, two)

    assert answer.reasons == ("`1.txt` cannot be read: no such file or directory",)
    assert texts(answer) == {"2.txt": ["didOpen 1.txt", "didClose 1.txt", "didOpen 2.txt"]}


def test_only_so_many_files_are_open(tmp_path: Path) -> None:
    names = [f"{number}.txt" for number in range(MOST_OPEN + 1)]
    files = [write_file(tmp_path, name, "") for name in names]
    with start_client("listens", tmp_path) as client:
        diagnose(client, *files[:-1])
        answer = diagnose(client, files[-1])

    opened = [f"didOpen {name}" for name in names]
    assert texts(answer) == {names[-1]: opened}
    with start_client("listens", tmp_path) as client:
        diagnose(client, *files[1:])
        diagnose(client, files[0])
        assert texts(diagnose(client, files[1])) == {
            "1.txt": [*opened[1:], "didOpen 0.txt", "didClose 1.txt", "didOpen 1.txt"]
        }


def test_a_file_that_no_server_can_read_is_named(tmp_path: Path) -> None:
    large = write_file(tmp_path, "large.txt", "x" * (LARGEST_FILE + 1))
    folder, pipe = tmp_path / "folder.txt", tmp_path / "pipe.txt"
    folder.mkdir()
    os.mkfifo(pipe)
    with start_client("pulled", tmp_path) as client:
        answer = diagnose(client, large, folder, pipe)

    assert answer == ServerAnswer(
        reasons=(
            f"`large.txt` is larger than {LARGEST_FILE} bytes",
            "`folder.txt` is not a regular file",
            "`pipe.txt` is not a regular file",
        )
    )


def test_only_so_many_diagnostics_count(tmp_path: Path) -> None:
    file = write_file(tmp_path, "a.txt", "")
    with start_client("many", tmp_path) as client:
        answer = diagnose(client, file)

    assert len(answer.found[file]) == LIMITS.diagnostics
    assert answer.reasons == (
        f"`fake` said {MANY} things about `a.txt`, {LIMITS.diagnostics} count",
    )


@pytest.mark.parametrize("mode", ["mute", "always cancels"])
def test_who_is_not_ready_in_time_may_be_asked_again(mode: str, tmp_path: Path) -> None:
    file = write_file(tmp_path, "a.txt", "")
    with start_client(mode, tmp_path) as client:
        diagnose(client, seconds=20)
        answer = diagnose(client, file, seconds=0.4)

        assert answer == ServerAnswer(reasons=("`fake` is not ready with `a.txt`",))
        assert client.failure == ""


def test_who_cannot_answer_is_not_waited_for(tmp_path: Path) -> None:
    file = write_file(tmp_path, "a.txt", "")
    with start_client("refuses to answer", tmp_path) as client:
        began = time.monotonic()
        answer = diagnose(client, file)

    assert answer == ServerAnswer(reasons=("`fake` is not ready with `a.txt`",))
    assert time.monotonic() - began < 15


def test_a_server_that_starts_slowly_is_not_waited_for(tmp_path: Path) -> None:
    file = write_file(tmp_path, "a.txt", "")
    with start_client("hangs", tmp_path) as client:
        assert diagnose(client, file, seconds=0.1) == ServerAnswer(
            reasons=("`fake` is still starting",)
        )
