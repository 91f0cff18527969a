import errno
import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from store.disk import mount
from store.faults import at_call
from store.samples import AT, advance, after, contract, make_round, start_loop, writer
from untildone.store.durable_files import DamagedFileError, read_bounded
from untildone.store.loops import Loops, Record

KILLED = -signal.SIGKILL
# `make faults` asks for a thousand.
KILLS = int(os.environ.get("UNTILDONE_TEST_KILLS", "30"))


def wait_for_writer(process: subprocess.Popen[str]) -> tuple[int, list[int]]:
    """The exit code, and the rounds that the writer said it had saved."""
    # Not `communicate`: it passes over lines that an earlier `readline` has buffered.
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        said = [int(line) for line in process.stdout]
        assert process.stderr.read() == ""
    return process.returncode, said


def test_a_hundred_saves_of_ten_processes_are_each_counted_once(tmp_path: Path) -> None:
    loops, _ = start_loop(tmp_path)
    writers = [writer(tmp_path, "a-loop", "10") for _ in range(10)]
    results = [wait_for_writer(process) for process in writers]

    assert {code for code, _ in results} == {0}
    assert sorted(number for _, rounds in results for number in rounds) == list(range(1, 101))
    assert loops.load("a-loop").progress == after(100)
    assert loops.read_rounds("a-loop") == tuple(make_round(number) for number in range(1, 101))
    assert loops.explain_broken_seal("a-loop") == ""


def old_or_new(loops: Loops, before: int, said: list[int]) -> int:
    """The round after a kill: what was said to be saved is, and at most one more."""
    record = loops.load("a-loop")
    last = said[-1] if said else before
    assert record.progress.round in (last, last + 1)
    assert record.warnings == ()
    assert loops.explain_broken_seal("a-loop") == ""
    return record.progress.round


@pytest.mark.timeout(1_200)
def test_a_writer_killed_at_any_moment_leaves_old_or_new(tmp_path: Path) -> None:
    loops, _ = start_loop(tmp_path)
    chance = random.Random(7)  # noqa: S311 - moments, not secrets
    before = 0
    for _ in range(KILLS):
        process = writer(tmp_path, "a-loop", "1000")
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(chance.uniform(0, 0.02))
        process.kill()
        code, said = wait_for_writer(process)
        assert code == KILLED
        before = old_or_new(loops, before, [int(first), *said])

    assert loops.read_rounds("a-loop") == tuple(
        make_round(number) for number in range(1, before + 1)
    )


def test_a_writer_killed_at_each_call_of_the_system_leaves_old_or_new(tmp_path: Path) -> None:
    loops, _ = start_loop(tmp_path)
    before, number, code = 0, 0, KILLED
    while code == KILLED:
        number += 1
        code, said = wait_for_writer(writer(tmp_path, "a-loop", "1", str(number)))
        before = old_or_new(loops, before, said)

    assert code == 0
    assert number > 20
    advance(loops, loops.load("a-loop"))
    assert list(loops.get_folder("a-loop").glob(".*")) == []


def fail() -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_a_save_that_fails_at_any_call_of_the_system_leaves_old_or_new(tmp_path: Path) -> None:
    loops, record = start_loop(tmp_path, rounds=1)
    number, calls = 0, ["every call"]
    while len(calls) >= number:
        number += 1
        before = record
        with at_call(number, fail) as calls:
            try:
                record = advance(loops, record)
            except OSError:
                assert loops.load("a-loop") == msgspec.structs.replace(before, warnings=())
        assert list(loops.get_folder("a-loop").glob(".*")) == []
        record = msgspec.structs.replace(record, warnings=())
        assert loops.load("a-loop") == record
        assert loops.explain_broken_seal("a-loop") == ""

    assert calls.count("fsync") == 3
    assert {"open", "read", "write", "link", "replace", "unlink"} <= set(calls)


def test_a_read_that_fails_once_is_tried_again(tmp_path: Path) -> None:
    loops, record = start_loop(tmp_path, rounds=2)
    with at_call(0, fail) as calls:
        loops.load("a-loop")
    reads = [number for number, name in enumerate(calls, 1) if name == "read"]
    for number in reads:
        with at_call(number, fail):
            assert loops.load("a-loop") == record

    assert len(reads) >= 2


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="NOT TESTED, needs Linux")
def test_a_read_that_keeps_failing_is_an_error_and_no_absence() -> None:
    # Reading the first page of one's own memory is an input/output error, always.
    with pytest.raises(OSError, match="Input/output error"):
        read_bounded(Path("/proc/self/mem"))


def test_a_recovery_that_fails_at_any_call_loses_nothing(tmp_path: Path) -> None:
    loops, record = start_loop(tmp_path, rounds=2)
    path = loops.get_folder("a-loop") / "state.json"
    number, calls = 0, ["every call"]
    while len(calls) >= number:
        number += 1
        content = b"damage %d" % number
        path.write_bytes(content)
        with at_call(number, fail) as calls, suppress(OSError, DamagedFileError):
            loops.load("a-loop")
        assert loops.load("a-loop").progress == record.progress
        kept = {found.read_bytes() for found in path.parent.glob("state.json.corrupt*")}
        assert content in kept


def test_a_creation_that_fails_at_any_call_is_a_loop_or_none(tmp_path: Path) -> None:
    loops = Loops(tmp_path)
    number, calls, created = 0, ["every call"], set()
    while len(calls) >= number:
        number += 1
        loop_id = f"loop-{number}"
        with at_call(number, fail) as calls, suppress(OSError):
            loops.create(contract(loop_id))
            created.add(loop_id)

    assert {path.name for path in (tmp_path / "loops").iterdir()} == created
    for loop_id in created:
        assert loops.load(loop_id) == Record(
            contract=contract(loop_id), progress=after(0), generation=1
        )


def fill(ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 4096)


def test_a_full_disk_leaves_the_old_state(tmp_path: Path) -> None:
    with mount(tmp_path, options="size=128k,mode=700"):
        loops, record = start_loop(tmp_path)
        ballast = tmp_path / "ballast"
        fill(ballast)
        with pytest.raises(OSError, match="No space"):
            advance(loops, record)
        assert (loops.load("a-loop"), loops.explain_broken_seal("a-loop")) == (record, "")

        ballast.unlink()
        assert advance(loops, record).progress.round == record.progress.round + 1
        assert loops.explain_broken_seal("a-loop") == ""


def test_a_disk_that_fills_within_an_entry_leaves_the_old_state(tmp_path: Path) -> None:
    with mount(tmp_path, options="size=128k,mode=700"):
        loops, record = start_loop(tmp_path, rounds=1)
        entry: dict[str, object] = {"output": "x" * 200_000}
        with pytest.raises(OSError, match="No space"):
            loops.save(record, record.progress, kind="round", data=entry, at=AT)

        assert (loops.load("a-loop"), loops.explain_broken_seal("a-loop")) == (record, "")
        assert not (loops.get_folder("a-loop") / "journal.torn").exists()
        assert advance(loops, record).progress == after(2)
