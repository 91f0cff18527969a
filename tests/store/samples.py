"""Contracts, rounds and folders that the store's tests share."""

import subprocess
import sys
from pathlib import Path

import msgspec

from untildone.core.contract import Bounds, Check, Contract
from untildone.core.progress import Progress, Round
from untildone.core.verdict import Continue
from untildone.store import journal
from untildone.store.durable_files import DamagedFileError
from untildone.store.loops import Loops, Record

WRITER = Path(__file__).with_name("writer.py")
AT = "2025-03-01T10:00:00+00:00"


def contract(loop_id: str = "a-loop", *, task: str = "make the tests pass") -> Contract:
    return Contract(
        id=loop_id,
        agent="claude",
        session="session-1",
        project="/projects/one",
        task=task,
        started_at=AT,
        checks=(Check(name="test", command="pytest"),),
        bounds=Bounds(rounds=200),
    )


def make_round(number: int) -> Round:
    return Round(number=number, at=AT, verdict=Continue(cause="unmet", names=("test",)))


def advance(loops: Loops, record: Record) -> Record:
    """The next round, counted and saved."""
    number = record.progress.round + 1
    progress = msgspec.structs.replace(record.progress, round=number, updated_at=AT)
    data = msgspec.to_builtins(make_round(number))
    return loops.save(record, progress, kind="round", data=data, at=AT)


def after(rounds: int) -> Progress:
    return Progress(round=rounds, updated_at=AT)


def start_loop(home: Path, *, rounds: int = 0) -> tuple[Loops, Record]:
    loops = Loops(home)
    record = loops.create(contract())
    for _ in range(rounds):
        record = advance(loops, record)
    return loops, record


def writer(home: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(WRITER), str(home), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def explain_broken_chain(path: Path) -> str:
    """What is wrong with the chain of hashes; empty if it is whole."""
    try:
        for _ in journal.walk_verified(path):
            pass
    except DamagedFileError as damage:
        return damage.reason
    return ""
