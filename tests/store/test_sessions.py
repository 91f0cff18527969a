"""Sessions of agents, and the index a shell can test."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from untildone.store.sessions import MAX_FILE_LENGTH, Session, list_sessions


def session(home: Path, name: str = "s-1") -> Session:
    return Session(str(home), "claude", name)


@pytest.mark.parametrize(
    "name", ["", "..", "a/b", "a\\b", "a b", "a\nb", "\0", "é", "x" * 129, "-/"]
)
def test_what_is_no_session_matches_nothing(tmp_path: Path, name: str) -> None:
    found = session(tmp_path, name)

    assert (found.known, found.get_loop_id(), found.is_active(), found.has("loop")) == (
        False,
        "",
        False,
        False,
    )
    assert (found.read("loop"), found.read_json("session.json")) == ("", {})
    assert found.folder == str(tmp_path / "sessions" / "claude" / "-")


def test_an_unknown_session_never_reads_the_folder_beside_it(tmp_path: Path) -> None:
    beside = tmp_path / "sessions" / "claude" / "-"
    beside.mkdir(parents=True)
    for name in ("loop", "active"):
        beside.joinpath(name).write_text("a1", encoding="utf-8")

    assert (session(tmp_path, "").get_loop_id(), session(tmp_path, "").is_active()) == ("", False)


def test_bound_paused_and_released(tmp_path: Path) -> None:
    found = session(tmp_path)
    states = []
    for step in ("active", "paused", "released", "released"):
        if step == "released":
            found.release()
        else:
            found.bind("a1", active=step == "active")
        states.append((found.get_loop_id(), found.is_active()))

    assert states == [("a1", True), ("a1", False), ("", False), ("", False)]
    assert Path(found.folder, "calls").is_dir()


def test_files_are_the_users_alone(tmp_path: Path) -> None:
    found = session(tmp_path)
    found.write("loop", "a1")

    folder = Path(found.folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "loop").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in folder.iterdir()] == ["loop"]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    found = session(tmp_path)
    value: dict[str, object] = {"project": "/a b/\udcff", "line": "é\n"}
    found.write_json("session.json", value)

    assert found.read_json("session.json") == value


def test_several_threads_write_one_file_whole(tmp_path: Path) -> None:
    found = session(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: found.write("loop", "L1"), range(400)))

    assert [path.name for path in Path(found.folder).iterdir()] == ["loop"]
    assert found.read("loop") == "L1"


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "null", "\ufeff{}", "[" * 5_000])
def test_a_damaged_file_says_nothing(tmp_path: Path, text: str) -> None:
    found = session(tmp_path)
    found.write("session.json", text)

    assert found.read_json("session.json") == {}


def test_a_large_file_is_read_in_part(tmp_path: Path) -> None:
    found = session(tmp_path)
    found.write("loop", "x" * (MAX_FILE_LENGTH + 5))

    assert len(found.get_loop_id()) == MAX_FILE_LENGTH


def test_a_call_begun_and_not_ended_is_in_flight(tmp_path: Path) -> None:
    found = session(tmp_path)
    found.bind("a1", active=True)
    seen = [found.has_call_in_flight()]
    found.append("pre", "\n\n")
    found.append("post", "\n")
    seen.append(found.has_call_in_flight())
    found.append("post", "\n")
    seen.append(found.has_call_in_flight())
    found.append("pre", "\n")
    found.forget_calls()
    seen.append(found.has_call_in_flight())

    assert seen == [False, True, False, False]


def make_spool(tmp_path: Path, **files: str) -> Session:
    found = session(tmp_path)
    found.bind("a1", active=True)
    for name, text in files.items():
        Path(found.get_path("calls"), name).write_text(text, encoding="utf-8")
    return found


def test_the_spool_is_read_by_file_and_dropped_by_name(tmp_path: Path) -> None:
    found = make_spool(tmp_path, a='{"n": 1}{"n": 2}\n {"n": 5}\n', b='{"n": 3}')
    read = found.read_calls()
    Path(found.get_path("calls"), "c").write_text('{"n": 4}', encoding="utf-8")

    found.drop_calls(list(read))

    assert read == {"a": [{"n": 1}, {"n": 2}, {"n": 5}], "b": [{"n": 3}]}
    assert found.read_calls() == {"c": [{"n": 4}]}


def test_a_payload_cut_at_its_limit_keeps_what_stands_in_front(tmp_path: Path) -> None:
    whole = json.dumps({"hook_event_name": "PostToolUse", "tool_name": "Bash", "rest": "x" * 50})

    found = make_spool(tmp_path, a='{"n": 1}' + whole[:-20])

    assert found.read_calls() == {
        "a": [{"n": 1}, {"cut": True, "hook_event_name": "PostToolUse", "tool_name": "Bash"}]
    }


@pytest.mark.parametrize("text", ["", "\n", "7", "[]", "garbage", '{"command":', "[" * 5_000])
def test_a_spool_of_nothing_useful(tmp_path: Path, text: str) -> None:
    for call in make_spool(tmp_path, a=text).read_calls()["a"]:
        assert call in ({"cut": True}, {})


def test_sessions_newest_first(tmp_path: Path) -> None:
    for age, name in ((30, "old"), (10, "new"), (20, "middle")):
        found = session(tmp_path, name)
        found.write("session.json", "{}")
        os.utime(found.get_path("session.json"), (1_000_000 - age, 1_000_000 - age))
    session(tmp_path, "silent").write("loop", "a1")
    (tmp_path / "sessions" / "claude" / "no session").mkdir()

    assert [found.id for found in list_sessions(str(tmp_path), "claude")] == [
        "new",
        "middle",
        "old",
    ]
    assert session(tmp_path, "new").find_last_event() == 999_990
    assert session(tmp_path, "silent").find_last_event() == 0
    assert list_sessions(str(tmp_path / "none"), "claude") == []


@pytest.mark.parametrize("name", ["loop", "active"])
def test_an_index_with_one_place_cleared_still_names_its_loop(tmp_path: Path, name: str) -> None:
    found = session(tmp_path)
    found.bind("a1", active=True)
    assert found.explain_index_damage() == ""
    found.write(name, "b2")
    assert (found.get_loop_id(), found.is_active()) == ("a1", True)
    found.remove(name)

    assert (found.get_loop_id(), found.is_active()) == ("a1", True)
    assert found.explain_index_damage() == f"`{found.get_path(name)}` is missing or was altered"


def test_a_crash_between_the_two_places_accuses_nobody(tmp_path: Path) -> None:
    found = session(tmp_path)
    found.bind("a1", active=True)
    (tmp_path / "held" / "claude" / "s-1").unlink()

    assert (found.get_loop_id(), found.is_active(), found.explain_index_damage()) == (
        "a1",
        True,
        "",
    )
    found.bind("a1", active=True)
    assert found.get_held_loop_id() == "a1"
    found.release()
    assert (found.get_held_loop_id(), found.get_loop_id()) == ("", "")
