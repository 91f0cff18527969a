"""What is remembered of a loop apart from its folder: older files put back are noticed."""

import shutil
from pathlib import Path

import msgspec
import pytest

from store.samples import AT, advance, contract, start_loop
from untildone.errors import UserError
from untildone.store import heads
from untildone.store.durable_files import DamagedFileError
from untildone.store.loops import Loops, UnreadableLoop


def roll_back(home: Path) -> Loops:
    """Three rounds, and the whole folder as it was after the first."""
    loops, record = start_loop(home, rounds=1)
    folder, older = loops.get_folder("a-loop"), home / "older"
    shutil.copytree(folder, older)
    for _ in range(2):
        record = advance(loops, record)
    shutil.rmtree(folder)
    older.rename(folder)
    return loops


def test_a_folder_set_back_as_a_whole_breaks_the_seal(tmp_path: Path) -> None:
    loops = roll_back(tmp_path)
    journal = loops.get_folder("a-loop") / "journal.jsonl"

    reported = f"`{journal}` ends with generation 2, and 4 was recorded"
    assert loops.explain_broken_seal("a-loop") == reported
    record = loops.load("a-loop")
    paused = msgspec.structs.replace(record.progress, status="paused", outcome="tampered")
    loops.save(record, paused, kind="stop", data={}, at=AT)

    assert loops.explain_broken_seal("a-loop") == reported.replace("generation 2", "generation 3")
    assert loops.reseal("a-loop", at=AT).generation == 5
    assert loops.explain_broken_seal("a-loop") == ""
    assert advance(loops, loops.load("a-loop")).generation == 6
    assert loops.explain_broken_seal("a-loop") == ""


def test_an_unfinished_loop_whose_folder_is_gone_is_never_no_loop(tmp_path: Path) -> None:
    loops, _ = start_loop(tmp_path, rounds=1)
    folder = loops.get_folder("a-loop")
    shutil.rmtree(folder)

    assert loops.list_all() == (UnreadableLoop(id="a-loop", reason=f"`{folder}` is missing"),)
    with pytest.raises(DamagedFileError, match="is missing"):
        loops.load("a-loop")

    loops.forget("a-loop")
    assert loops.list_all() == ()
    with pytest.raises(UserError, match="there is no loop `a-loop`"):
        loops.load("a-loop")


def test_a_finished_loop_may_be_taken_away(tmp_path: Path) -> None:
    loops, record = start_loop(tmp_path, rounds=1)
    ended = msgspec.structs.replace(record.progress, status="finished", outcome="cancelled")
    loops.save(record, ended, kind="cancelled", data={}, at=AT)
    shutil.rmtree(loops.get_folder("a-loop"))

    assert (loops.list_all(), loops.is_remembered("a-loop")) == ((), False)


@pytest.mark.parametrize("text", ["", "two", "-4", "9" * 200, "\u0663"])
def test_what_is_no_number_is_not_remembered(tmp_path: Path, text: str) -> None:
    loops, record = start_loop(tmp_path, rounds=1)
    (tmp_path / "heads" / "a-loop").write_text(text, encoding="utf-8")

    assert loops.explain_broken_seal("a-loop") == ""
    assert advance(loops, record).warnings == ()
    assert heads.read_head(tmp_path, "a-loop") == 3


def test_what_cannot_be_remembered_is_reported_and_the_save_stands(tmp_path: Path) -> None:
    loops = Loops(tmp_path)
    record = loops.create(contract())
    (tmp_path / "heads").touch()

    saved = advance(loops, record)

    assert saved.warnings == (f"`{tmp_path}/heads/a-loop` cannot be written: File exists",)
    assert loops.load("a-loop").progress == saved.progress
    assert (loops.explain_broken_seal("a-loop"), len(loops.list_all())) == ("", 1)
