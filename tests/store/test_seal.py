from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from store.samples import AT, advance, after, contract, start_loop
from untildone.store.durable_files import add_checksum, strip_checksum
from untildone.store.loops import Loops
from untildone.store.state import encode_checked


def rewrite_contract(folder: Path) -> None:
    easier = msgspec.structs.replace(contract(), checks=())
    (folder / "contract.json").write_bytes(encode_checked(easier))


def roll_back_state(folder: Path) -> None:
    path = folder / "state.json"
    body = strip_checksum(path.read_bytes()).replace(b'"generation":4', b'"generation":2')
    path.write_bytes(add_checksum(body))


def lower_the_round(folder: Path) -> None:
    path = folder / "state.json"
    path.write_bytes(
        add_checksum(strip_checksum(path.read_bytes()).replace(b'"round":3', b'"round":0'))
    )


def edit_journal(folder: Path) -> None:
    path = folder / "journal.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"number":2', b'"number":1'))


def cut_journal(folder: Path) -> None:
    path = folder / "journal.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))


def behead_journal(folder: Path) -> None:
    path = folder / "journal.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))


def remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def empty_journal(folder: Path) -> None:
    (folder / "journal.jsonl").write_bytes(b"")


TAMPERING = [
    pytest.param(rewrite_contract, "`{}/contract.json` is not the contract that was agreed"),
    pytest.param(remove("contract.json"), "`{}/contract.json` is missing"),
    pytest.param(remove("state.json"), "`{}/state.json` is missing"),
    pytest.param(remove("journal.jsonl"), "`{}/journal.jsonl` is missing"),
    pytest.param(empty_journal, "`{}/journal.jsonl` is empty"),
    pytest.param(roll_back_state, "`state.json` is of generation 2, the journal ends with 4"),
    pytest.param(lower_the_round, "`{}/state.json` was altered"),
    pytest.param(edit_journal, "entry 3 of `{}/journal.jsonl` was altered"),
    pytest.param(cut_journal, "`state.json` is of generation 4, the journal ends with 3"),
    pytest.param(behead_journal, "entry 1 of `{}/journal.jsonl` is missing"),
]


@pytest.mark.parametrize(("tamper", "reason"), TAMPERING)
def test_tampering_is_found_and_the_loop_is_never_absent(
    tmp_path: Path, tamper: Callable[[Path], None], reason: str
) -> None:
    loops, _ = start_loop(tmp_path, rounds=3)
    folder = loops.get_folder("a-loop")
    assert loops.explain_broken_seal("a-loop") == ""
    tamper(folder)

    assert loops.explain_broken_seal("a-loop") == reason.format(folder)
    record = loops.load("a-loop")
    assert record.contract == contract()
    # Reading must not fix what is evidence.
    assert loops.explain_broken_seal("a-loop") == reason.format(folder)


@pytest.mark.parametrize(("tamper", "reason"), TAMPERING)
def test_the_pause_is_saved_and_the_user_can_seal_anew(
    tmp_path: Path, tamper: Callable[[Path], None], reason: str
) -> None:
    loops, _ = start_loop(tmp_path, rounds=3)
    folder = loops.get_folder("a-loop")
    tamper(folder)
    record = loops.load("a-loop")
    paused = msgspec.structs.replace(record.progress, status="paused", outcome="tampered")
    saved = loops.save(record, paused, kind="round", data={"reason": reason}, at=AT)
    assert loops.load("a-loop").progress == paused

    resealed = loops.reseal("a-loop", at=AT)

    assert (resealed.contract, resealed.progress) == (contract(), paused)
    assert resealed.generation > saved.generation
    assert loops.explain_broken_seal("a-loop") == ""
    assert advance(loops, resealed).generation == resealed.generation + 1
    assert loops.explain_broken_seal("a-loop") == ""


def test_a_state_that_was_set_back_counts_from_the_journal(tmp_path: Path) -> None:
    loops, record = start_loop(tmp_path, rounds=3)
    path = loops.get_folder("a-loop") / "state.json"
    path.write_bytes(path.with_name("state.json.previous").read_bytes())
    assert Loops(tmp_path).load("a-loop") == record

    roll_back_state(loops.get_folder("a-loop"))
    assert Loops(tmp_path).load("a-loop").progress == after(3)


def test_a_journal_begun_anew_is_found(tmp_path: Path) -> None:
    loops, record = start_loop(tmp_path, rounds=3)
    path = loops.get_folder("a-loop") / "journal.jsonl"
    path.unlink()
    advance(loops, record)

    assert loops.explain_broken_seal("a-loop") == f"`{path}` does not begin with the start"


def test_a_last_entry_replaced_by_the_next_save_is_missed(tmp_path: Path) -> None:
    loops, record = start_loop(tmp_path, rounds=3)
    path = loops.get_folder("a-loop") / "journal.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"number":3', b'"number":1'))
    advance(loops, record)

    assert loops.explain_broken_seal("a-loop") == f"generation 4 is missing in `{path}`"


def test_sealing_anew_keeps_the_rounds_and_what_was_altered(tmp_path: Path) -> None:
    loops, _ = start_loop(tmp_path, rounds=3)
    folder = loops.get_folder("a-loop")
    rewrite_contract(folder)
    altered = (folder / "contract.json").read_bytes()

    loops.reseal("a-loop", at=AT)

    assert [found.number for found in loops.read_rounds("a-loop")] == [1, 2, 3]
    assert (folder / "contract.json.corrupt").read_bytes() == altered
