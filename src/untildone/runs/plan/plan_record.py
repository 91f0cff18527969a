"""What is remembered of a plan run beside its journal: which plan it is, and how the run ended."""

from pathlib import Path

import msgspec
from msgspec import Struct

from untildone.core.verdict import Outcome
from untildone.store.durable_files import DamagedFileError, read_bounded, write_atomically

_NAME = "run.json"
# A plan of 10,000 tasks has titles of less than a megabyte.
_MAX_SIZE = 8_000_000


class PlanRecord(Struct, frozen=True, kw_only=True):
    """`titles` are those of the tasks by their names, in the order of the plan."""

    plan: str
    feature: str
    titles: dict[str, str]
    # The tasks that were completed before.
    completed: tuple[str, ...] = ()
    started_at: str
    # The process that runs it, or has run it last.
    process: int
    ended_at: str = ""
    outcome: Outcome | None = None
    reason: str = ""


def write_record(folder: Path, record: PlanRecord) -> None:
    write_atomically(folder / _NAME, msgspec.json.encode(record), keep_previous=False)


def read_record(folder: Path) -> PlanRecord | None:
    """Return what is remembered; None for a run of an earlier version, or a damaged file."""
    try:
        return msgspec.json.decode(read_bounded(folder / _NAME, _MAX_SIZE), type=PlanRecord)
    except (OSError, DamagedFileError, msgspec.MsgspecError):
        return None
