"""Loops that were paused long ago, and whether the user has heard of them."""

import json
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta

from untildone.engine.context import Context
from untildone.store.durable_files import write_atomically
from untildone.store.loops import Record

STALE_DAYS = 30
_LISTED = "stale-loops.json"


def is_older(record: Record, *, days: float, now: str) -> bool:
    """Say whether nothing has happened in the loop for so many days."""
    last = datetime.fromisoformat(record.progress.updated_at or record.contract.started_at)
    return datetime.fromisoformat(now) - last >= timedelta(days=days)


def find_stale_loops(
    context: Context, records: Iterable[Record], *, days: float = STALE_DAYS
) -> list[Record]:
    """Return the loops that have been paused for so many days."""
    now = context.now()
    paused = (record for record in records if record.progress.status == "paused")
    return [record for record in paused if is_older(record, days=days, now=now)]


def take_unlisted(context: Context, stale: Iterable[Record]) -> list[Record]:
    """Return those that were not listed before, and remember that they are listed now."""
    path = context.home / _LISTED
    try:
        listed = set(json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError):
        listed = set()
    unlisted = [record for record in stale if record.contract.id not in listed]
    if unlisted:
        ids = sorted(listed | {record.contract.id for record in unlisted})
        # A folder that cannot be written is reported elsewhere; here they are listed again.
        with suppress(OSError):
            write_atomically(path, json.dumps(ids).encode(), keep_previous=False)
    return unlisted
