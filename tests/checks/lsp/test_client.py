"""A language server asked about files, with servers that behave in the ways servers do."""

import json
import os
import time
from pathlib import Path

import pytest

from checks.lsp.fake_server import MANY
from checks.lsp.fakes import LIMITS, asked, started, texts, written
from untildone.checks.findings import Diagnostic
from untildone.checks.lsp.client import ServerAnswer
from untildone.checks.lsp.documents import LARGEST_FILE, MOST_OPEN
from untildone.checks.lsp.watch import CHANGED, CREATED


@pytest.mark.parametrize("mode", ["pushes", "works", "lags", "pulled", "cancels", "late"])
def test_says_what_the_server_found_in_the_file_as_it_is_now(mode: str, tmp_path: Path) -> None:
    file = written(tmp_path, "a.txt", "first")
    with started(mode, tmp_path) as client:
        before = asked(client, file)
        written(tmp_path, "a.txt", "second")
        after = asked(client, file)
        unchanged = asked(client, file)

    assert [texts(answer) for answer in (before, after, unchanged)] == [
        {"a.txt": ["first"]},
        {"a.txt": ["second"]},
        {"a.txt": ["second"]},
    ]
    assert before == ServerAnswer(
        found={file: (Diagnostic(path="a.txt", line=1, code="F7", severity="error", text="first"),)}
    )


def test_several_files_are_asked_about_at_once(tmp_path: Path) -> None:
    files = [written(tmp_path, f"{name}.txt", name) for name in ("a", "b")]
    with started("pulled", tmp_path) as client:
        answer = asked(client, *files)

    assert texts(answer) == {"a.txt": ["a"], "b.txt": ["b"]}


def test_what_the_server_asks_is_answered(tmp_path: Path) -> None:
    file = written(tmp_path, "a.txt", "")
    with started("asks", tmp_path) as client:
        told = dict(text.split(" ", 1) for text in texts(asked(client, file))["a.txt"])

    assert {name: json.loads(text) for name, text in told.items()} == {
        "a": [{"pyrefly": {"displayTypeErrors": "force-on"}}, None],
        "b": [{"uri": tmp_path.as_uri(), "name": tmp_path.name}],
        "c": {"applied": False},
        "d": None,
        "e": {"code": -32601, "message": "made/up is not offered"},
    }


def test_other_open_files_and_the_disk_are_told_of_too(tmp_path: Path) -> None:
    one, two = (written(tmp_path, name, "1") for name in ("1.txt", "2.txt"))
    with started("listens", tmp_path) as client:
        asked(client, one)
        written(tmp_path, "1.txt", "2")
        client.note_changes([(tmp_path / "new.txt", CREATED), (one, CHANGED)])
        answer = asked(client, two)

    assert texts(answer) == {
        "2.txt": ["didOpen 1.txt", "1 new.txt", "2 1.txt", "didChange 1.txt", "didOpen 2.txt"]
    }


def test_a_deleted_file_is_closed(tmp_path: Path) -> None:
    one, two = (written(tmp_path, name, "1") for name in ("1.txt", "2.txt"))
    with started("listens", tmp_path) as client:
        asked(client, one)
        one.unlink()
        answer = asked(client, one, two)

    assert answer.reasons == ("`1.txt` cannot be read: no such file or directory",)
    assert texts(answer) == {"2.txt": ["didOpen 1.txt", "didClose 1.txt", "didOpen 2.txt"]}


def test_only_so_many_files_are_open(tmp_path: Path) -> None:
    names = [f"{number}.txt" for number in range(MOST_OPEN + 1)]
    files = [written(tmp_path, name, "") for name in names]
    with started("listens", tmp_path) as client:
        asked(client, *files[:-1])
        answer = asked(client, files[-1])

    opened = [f"didOpen {name}" for name in names]
    assert texts(answer) == {names[-1]: opened}
    with started("listens", tmp_path) as client:
        asked(client, *files[1:])
        asked(client, files[0])
        assert texts(asked(client, files[1])) == {
            "1.txt": [*opened[1:], "didOpen 0.txt", "didClose 1.txt", "didOpen 1.txt"]
        }


def test_a_file_no_server_could_be_told_of_is_named(tmp_path: Path) -> None:
    large = written(tmp_path, "large.txt", "x" * (LARGEST_FILE + 1))
    folder, pipe = tmp_path / "folder.txt", tmp_path / "pipe.txt"
    folder.mkdir()
    os.mkfifo(pipe)
    with started("pulled", tmp_path) as client:
        answer = asked(client, large, folder, pipe)

    assert answer == ServerAnswer(
        reasons=(
            f"`large.txt` is larger than {LARGEST_FILE} bytes",
            "`folder.txt` is not a regular file",
            "`pipe.txt` is not a regular file",
        )
    )


def test_only_so_many_diagnostics_count(tmp_path: Path) -> None:
    file = written(tmp_path, "a.txt", "")
    with started("many", tmp_path) as client:
        answer = asked(client, file)

    assert len(answer.found[file]) == LIMITS.diagnostics
    assert answer.reasons == (
        f"`fake` said {MANY} things about `a.txt`, {LIMITS.diagnostics} count",
    )


@pytest.mark.parametrize("mode", ["mute", "always cancels"])
def test_who_is_not_ready_in_time_may_be_asked_again(mode: str, tmp_path: Path) -> None:
    file = written(tmp_path, "a.txt", "")
    with started(mode, tmp_path) as client:
        asked(client, seconds=20)
        answer = asked(client, file, seconds=0.4)

        assert answer == ServerAnswer(reasons=("`fake` is not ready with `a.txt`",))
        assert client.failure == ""


def test_who_cannot_answer_is_not_waited_for(tmp_path: Path) -> None:
    file = written(tmp_path, "a.txt", "")
    with started("refuses to answer", tmp_path) as client:
        began = time.monotonic()
        answer = asked(client, file)

    assert answer == ServerAnswer(reasons=("`fake` is not ready with `a.txt`",))
    assert time.monotonic() - began < 15


def test_a_server_that_starts_slowly_is_not_waited_for(tmp_path: Path) -> None:
    file = written(tmp_path, "a.txt", "")
    with started("hangs", tmp_path) as client:
        assert asked(client, file, seconds=0.1) == ServerAnswer(
            reasons=("`fake` is still starting",)
        )
