from pathlib import Path

import pytest

from store.samples import AT, advance, after, contract, make_round, start_loop
from untildone.store.durable_files import DamagedFileError, strip_checksum
from untildone.store.loops import Loops


def test_a_state_cut_at_any_byte_is_kept_aside_and_nothing_is_lost(tmp_path: Path) -> None:
    loops, record = start_loop(tmp_path, rounds=2)
    path = loops.get_folder("a-loop") / "state.json"
    corrupt = path.with_name("state.json.corrupt")
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])

        found = loops.load("a-loop")
        assert (found.progress, found.generation) == (record.progress, record.generation)
        assert len(found.warnings) == 2
        assert found.warnings[0].startswith(f"`{path}` ")
        assert corrupt.read_bytes() == whole[:length]
        assert loops.load("a-loop") == record
        assert loops.explain_broken_seal("a-loop") == ""
        corrupt.unlink()


def test_a_state_cut_at_any_byte_without_its_journal_is_the_previous_generation(
    tmp_path: Path,
) -> None:
    loops, _ = start_loop(tmp_path, rounds=2)
    folder = loops.get_folder("a-loop")
    whole = (folder / "state.json").read_bytes()
    (folder / "journal.jsonl").unlink()
    for length in range(len(whole)):
        (folder / "state.json").write_bytes(whole[:length])
        assert loops.load("a-loop").progress == after(1)
        (folder / "state.json.corrupt").unlink()


def test_both_generations_cut_are_taken_from_the_journal(tmp_path: Path) -> None:
    loops, record = start_loop(tmp_path, rounds=2)
    folder = loops.get_folder("a-loop")
    for name in ("state.json", "state.json.previous"):
        (folder / name).write_bytes(b"")

    found = loops.load("a-loop")

    assert found.progress == record.progress
    assert found.warnings == (
        f"`{folder}/state.json` is empty and `{folder}/state.json.previous` is empty;"
        " the journal's last entry is used",
    )
    assert loops.load("a-loop") == record


def test_nothing_left_to_recover_from_is_named(tmp_path: Path) -> None:
    loops, _ = start_loop(tmp_path)
    folder = loops.get_folder("a-loop")
    (folder / "state.json").write_bytes(b"")
    (folder / "journal.jsonl").unlink()

    with pytest.raises(DamagedFileError, match=r"state\.json` is empty"):
        loops.load("a-loop")


def test_a_contract_cut_at_any_byte_is_named_and_the_journal_has_it(tmp_path: Path) -> None:
    loops, record = start_loop(tmp_path, rounds=1)
    path = loops.get_folder("a-loop") / "contract.json"
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])

        found = loops.load("a-loop")
        assert (found.contract, found.progress) == (contract(), record.progress)
        (warning,) = found.warnings
        assert warning.startswith(f"`{path}` ")
        assert loops.explain_broken_seal("a-loop").startswith(f"`{path}` ")


def test_a_contract_that_is_nowhere_is_named(tmp_path: Path) -> None:
    loops, _ = start_loop(tmp_path)
    folder = loops.get_folder("a-loop")
    (folder / "contract.json").write_bytes(b"")
    (folder / "journal.jsonl").unlink()

    with pytest.raises(DamagedFileError, match=r"contract\.json` is empty"):
        loops.load("a-loop")


def test_a_journal_one_ahead_is_caught_up_with(tmp_path: Path) -> None:
    loops, old = start_loop(tmp_path, rounds=1)
    path = loops.get_folder("a-loop") / "state.json"
    before = path.read_bytes()
    record = advance(loops, old)
    path.write_bytes(before)

    assert loops.load("a-loop") == record
    assert loops.explain_broken_seal("a-loop") == ""
    assert advance(loops, record).progress == after(3)
    assert loops.read_rounds("a-loop") == (make_round(1), make_round(2), make_round(3))


def test_a_torn_journal_is_healed_by_the_next_save(tmp_path: Path) -> None:
    loops, record = start_loop(tmp_path, rounds=1)
    path = loops.get_folder("a-loop") / "journal.jsonl"
    with path.open("ab") as file:
        file.write(b'{"n":3,"at":"20')

    assert (loops.load("a-loop"), loops.explain_broken_seal("a-loop")) == (record, "")
    advance(loops, record)
    assert (loops.load("a-loop").progress, loops.explain_broken_seal("a-loop")) == (after(2), "")
    assert path.with_name("journal.torn").read_bytes() == b'{"n":3,"at":"20\n'


def test_what_a_killed_writer_staged_is_swept_away(tmp_path: Path) -> None:
    loops, record = start_loop(tmp_path)
    leftover = loops.get_folder("a-loop") / ".state.json.0123.new"
    leftover.write_bytes(b"half")

    advance(loops, record)

    assert not leftover.exists()


def test_the_previous_generation_is_the_one_before(tmp_path: Path) -> None:
    loops, _ = start_loop(tmp_path, rounds=3)
    previous = loops.get_folder("a-loop") / "state.json.previous"

    assert b'"generation":3' in strip_checksum(previous.read_bytes())


def test_a_reader_without_the_lock_changes_nothing(tmp_path: Path) -> None:
    loops, record = start_loop(tmp_path, rounds=1)
    folder = loops.get_folder("a-loop")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    with loops.lock("a-loop"):
        assert Loops(tmp_path).load("a-loop") == record
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert record.progress.updated_at == AT
