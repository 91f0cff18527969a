import math
import os
import stat
import time
from pathlib import Path

import msgspec
import pytest

from store.samples import AT, advance, after, contract, make_round, start_loop
from untildone.core.contract import Bounds, Check
from untildone.core.progress import Progress
from untildone.errors import UserError
from untildone.store.durable_files import DamagedFileError, add_checksum
from untildone.store.loops import ConflictError, Loops, Record, UnreadableLoop
from untildone.store.state import encode_checked

NAMES = [b"a b", b'it\'s "q"', b"new\nline", b"bytes-\xff\xfe", b"$(x)`y`"]
TASK = "say \"x\" and 'y', $(rm -rf /), `z`\n---\n\x00 \u2028 é 漢 🎉\r\n\\ud800"


def test_a_loop_is_read_back_as_it_was_created(tmp_path: Path) -> None:
    loops = Loops(tmp_path)
    agreed = contract(task=TASK)
    record = Record(contract=agreed, progress=after(0), generation=1)

    assert loops.create(agreed) == record
    assert Loops(tmp_path).load("a-loop") == record
    assert Loops(tmp_path).explain_broken_seal("a-loop") == ""


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_home_and_project_may_have_any_name(tmp_path: Path, name: bytes) -> None:
    home = tmp_path / os.fsdecode(name)
    home.mkdir()
    agreed = msgspec.structs.replace(contract(), project=str(home))
    loops = Loops(home)
    advance(loops, loops.create(agreed))

    record = Record(contract=agreed, progress=after(1), generation=2)
    assert Loops(home).load("a-loop") == record
    assert (loops.explain_broken_seal("a-loop"), loops.read_rounds("a-loop")) == (
        "",
        (make_round(1),),
    )


def test_folders_and_files_are_for_their_owner_only(tmp_path: Path) -> None:
    loops, _ = start_loop(tmp_path, rounds=2)

    folder = loops.get_folder("a-loop")
    modes = {path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in folder.iterdir()}
    assert modes == dict.fromkeys(
        ("contract.json", "journal.jsonl", "lock", "state.json", "state.json.previous"), "0o600"
    )
    assert (
        stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
    )


def test_rounds_are_read_from_the_journal(tmp_path: Path) -> None:
    loops, record = start_loop(tmp_path, rounds=2)
    loops.save(record, record.progress, kind="note", data={"text": "x"}, at=AT)

    assert loops.read_rounds("a-loop") == (make_round(1), make_round(2))
    assert loops.read_last_round("a-loop") == make_round(2)
    kinds = [entry.kind for entry in loops.read_journal("a-loop")]
    assert kinds == ["started", "round", "round", "note"]


def test_a_save_from_an_old_record_is_refused(tmp_path: Path) -> None:
    loops, old = start_loop(tmp_path)
    advance(loops, old)

    with pytest.raises(ConflictError, match="the loop `a-loop` is at generation 2, read was 1"):
        advance(loops, old)
    assert loops.load("a-loop").progress == after(1)


def test_a_loop_that_does_not_exist_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        Loops(tmp_path).load("none")

    assert caught.value.message == "there is no loop `none`"
    assert caught.value.hint == "run `untildone history` to see the loops there are"


@pytest.mark.parametrize("loop_id", ["", "..", "../x", "a/b", "A", "a\n", "a" * 65, "é", ".x"])
def test_an_id_that_could_lead_elsewhere_is_refused(tmp_path: Path, loop_id: str) -> None:
    with pytest.raises(UserError, match="is not the id of a loop"):
        Loops(tmp_path).get_folder(loop_id)


def test_a_second_loop_of_the_same_id_is_refused(tmp_path: Path) -> None:
    loops, record = start_loop(tmp_path, rounds=1)

    with pytest.raises(UserError, match="there is already a loop `a-loop`"):
        loops.create(contract())
    assert loops.load("a-loop") == record


def test_all_loops_are_listed_the_newest_first_and_the_broken_ones_named(tmp_path: Path) -> None:
    loops = Loops(tmp_path)
    assert loops.list_all() == ()
    newer = msgspec.structs.replace(contract("newer"), started_at="2025-03-02T10:00:00+00:00")
    records = [loops.create(agreed) for agreed in (contract("older"), newer)]
    (tmp_path / "loops" / "Not An Id").mkdir()
    (tmp_path / "loops" / ".draft").mkdir()
    (tmp_path / "loops" / "empty").mkdir()

    found = loops.list_all()

    assert found[2:] == (records[1], records[0])
    assert {item.id: item.reason for item in found[:2] if isinstance(item, UnreadableLoop)} == {
        "Not An Id": "`Not An Id` is not the id of a loop",
        "empty": f"`{tmp_path}/loops/empty/state.json` is missing",
    }


def test_a_linked_folder_is_not_followed(tmp_path: Path) -> None:
    loops, _ = start_loop(tmp_path)
    loops.get_folder("linked").symlink_to(loops.get_folder("a-loop"))

    with pytest.raises(DamagedFileError, match="is not a folder of ours"):
        loops.load("linked")


def test_fields_of_a_newer_version_are_ignored(tmp_path: Path) -> None:
    loops, record = start_loop(tmp_path, rounds=1)
    path = loops.get_folder("a-loop") / "state.json"
    body = path.read_bytes().partition(b"\n")[2]
    path.write_bytes(add_checksum(body.replace(b'{"loop"', b'{"colour":{"a":[1]},"loop"', 1)))

    assert loops.load("a-loop") == record


def test_what_could_not_be_read_back_is_not_written(tmp_path: Path) -> None:
    loops, record = start_loop(tmp_path)
    endless = Check(name="x", command="x", timeout=math.inf)
    with pytest.raises(ValueError, match="a number that JSON cannot"):
        loops.create(msgspec.structs.replace(contract("other"), checks=(endless,)))
    with pytest.raises(UserError, match="more than 1000000"):
        loops.create(contract("other", task="x" * 1_000_000))
    with pytest.raises(UserError, match="the state of the loop takes"):
        loops.save(record, Progress(notes=("x" * 1_000_000,)), kind="note", data={}, at=AT)

    assert loops.list_all() == (record,)
    assert [path.name for path in (tmp_path / "loops").iterdir()] == ["a-loop"]


def test_the_lock_may_be_taken_again_by_its_holder(tmp_path: Path) -> None:
    loops, record = start_loop(tmp_path)
    with loops.lock("a-loop", timeout=1), loops.lock("a-loop", timeout=1):
        assert advance(loops, record).progress == after(1)


def state(**changes: object) -> bytes:
    plain = {
        "loop": "a-loop",
        "generation": 3,
        "contract": "0" * 64,
        "progress": {"round": 2, "updated_at": AT},
    }
    return msgspec.json.encode(plain | changes)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(state(generation=-1), id="negative generation"),
        pytest.param(state(generation=10**20), id="huge generation"),
        pytest.param(state(generation=True), id="bool as int"),
        pytest.param(state(generation=3.0), id="float as int"),
        pytest.param(state(generation="3"), id="text as int"),
        pytest.param(state(progress={"round": -1}), id="negative counter"),
        pytest.param(state(progress={"round": 10**20}), id="huge counter"),
        pytest.param(state(progress={"spend_usd": "1"}), id="text as float"),
        pytest.param(state(loop="another"), id="of another loop"),
        pytest.param(state().replace(b"2", b"08", 1), id="leading zero"),
        pytest.param(state(progress={"spend_usd": 7}).replace(b"7", b"NaN"), id="NaN"),
        pytest.param(state(progress={"spend_usd": 7}).replace(b"7", b"1e400"), id="1e400"),
        pytest.param(
            state(x="\\ud800", progress={"spend_usd": 7}).replace(b"7", b"1e400"),
            id="surrogate and 1e400",
        ),
        pytest.param(
            state(progress={"spend_usd": 7}).replace(b"7", b'NaN,"x":"\\ud800"'),
            id="surrogate and NaN",
        ),
        pytest.param(b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}", id="deep"),
        pytest.param(b'{"\\ud800":' + b"[" * 100_000 + b"]" * 100_000 + b"}", id="deep, surrogate"),
        pytest.param(b"[]", id="array"),
        pytest.param(b"\xff\xfe", id="no text"),
        pytest.param(b"", id="no body"),
    ],
)
def test_a_well_sealed_state_of_wrong_content_is_refused(tmp_path: Path, body: bytes) -> None:
    loops, record = start_loop(tmp_path, rounds=2)
    path = loops.get_folder("a-loop") / "state.json"
    path.write_bytes(add_checksum(body))

    found = loops.load("a-loop")

    assert (found.progress, found.generation) == (record.progress, 3)
    assert "the previous generation is used" in found.warnings[0]
    assert path.with_name("state.json.corrupt").read_bytes() == add_checksum(body)


def test_a_gigabyte_of_state_is_refused_at_once(tmp_path: Path) -> None:
    loops, record = start_loop(tmp_path, rounds=2)
    path = loops.get_folder("a-loop") / "state.json"
    with path.open("r+b") as file:
        file.truncate(1_000_000_000)

    before = time.monotonic()
    found = loops.load("a-loop")

    assert time.monotonic() - before < 30
    assert found.progress == record.progress
    assert path.with_name("state.json.corrupt").stat().st_size == 1_000_000_000


def test_sealing_is_the_same_for_equal_values() -> None:
    assert encode_checked(contract()) == encode_checked(
        msgspec.structs.replace(contract(), bounds=Bounds(rounds=200))
    )
