"""State of another format: refused with a clear word, never misread, never altered."""

from pathlib import Path

import pytest

from store.samples import start_loop
from untildone.store import journal
from untildone.store.durable_files import FORMAT, OtherFormatError, add_checksum, strip_checksum
from untildone.store.loops import Loops, UnreadableLoop

REFUSAL = (
    f"was written by another version of untildone (state format 1, this version reads {FORMAT})"
)


def age(path: Path) -> None:
    """Rewrite a file of ours as format 1 wrote it."""
    path.write_bytes(path.read_bytes().replace(b"untildone-%d " % FORMAT, b"untildone-1 ", 1))


def age_journal(path: Path) -> None:
    entries = journal.read_entries(path)
    path.unlink()
    for entry in entries:
        state = {key: value for key, value in (entry.state or {}).items() if key != "format"}
        journal.append(path, entry.kind, data=entry.data, at=entry.at, state=state)


def older_loop(home: Path) -> Loops:
    loops, _ = start_loop(home, rounds=1)
    folder = loops.get_folder("a-loop")
    for name in ("contract.json", "state.json", "state.json.previous"):
        age(folder / name)
    age_journal(folder / "journal.jsonl")
    return loops


def test_a_whole_file_of_another_format_is_refused() -> None:
    with pytest.raises(OtherFormatError) as caught:
        strip_checksum(add_checksum(b"body").replace(b"-%d " % FORMAT, b"-1 ", 1))

    assert caught.value.reason == REFUSAL


def test_a_loop_of_another_format_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    loops = older_loop(tmp_path)
    folder = loops.get_folder("a-loop")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    (found,) = loops.list_all()

    assert found == UnreadableLoop(id="a-loop", reason=f"`{folder}/state.json` {REFUSAL}")
    assert loops.explain_broken_seal("a-loop") == (f"the state in entry 1 of the journal {REFUSAL}")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_journal_of_another_format_does_not_stand_in_for_a_missing_state(tmp_path: Path) -> None:
    loops = older_loop(tmp_path)
    folder = loops.get_folder("a-loop")
    (folder / "state.json").unlink()
    (folder / "state.json.previous").unlink()

    (found,) = loops.list_all()

    assert isinstance(found, UnreadableLoop)


def test_a_current_journal_outweighs_a_state_of_another_format(tmp_path: Path) -> None:
    loops, record = start_loop(tmp_path, rounds=1)
    path = loops.get_folder("a-loop") / "state.json"
    age(path)

    found = loops.load("a-loop")

    assert found.progress == record.progress
    assert found.warnings == (f"`{path}` {REFUSAL}; the journal's last entry is used",)
