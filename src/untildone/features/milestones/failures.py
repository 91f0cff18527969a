"""Which receivers could not be reached: one line in the log each, and a note of `doctor`.

`milestones-failed.json` maps a digest of each such receiver to what went wrong last; a success
removes it.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from untildone.engine.context import Context
from untildone.features.milestones.events import Delivery
from untildone.report.doctor import Problem, make_note
from untildone.store.digest import sha256
from untildone.store.durable_files import write_atomically

LOG_FILE = "milestones.log"
_FAILED_FILE = "milestones-failed.json"
_MAX_LOG_BYTES = 200_000


class Failure(Struct, frozen=True, kw_only=True):
    at: str
    text: str


def record_results(context: Context, results: list[tuple[Delivery, str]]) -> None:
    """Note what went wrong with each delivery; empty if nothing. The same is logged once."""
    path, at = context.home / _FAILED_FILE, context.now()
    known = _read_failures(path)
    failed = dict(known)
    lines = []
    for delivery, problem in results:
        key = _identify(delivery)
        failed.pop(key, None)
        if problem:
            failed[key] = Failure(at=at, text=problem)
            was_told = key in known and known[key].text == problem
            message = delivery.message
            lines += [] if was_told else [f"{at} {message.loop} {message.event}: {problem}\n"]
    if failed != known:
        write_atomically(path, msgspec.json.encode(failed), keep_previous=False)
    _append_log(context.home / LOG_FILE, lines)


def find_problems(context: Context, _: Path) -> Iterator[Problem]:
    """Yield a note for each receiver that could not be reached the last time."""
    for failure in _read_failures(context.home / _FAILED_FILE).values():
        text = f"a notification could not be sent at {failure.at}: {failure.text}"
        log = context.home / LOG_FILE
        yield make_note("notifications", text, f"`untildone notify test` tries it; see `{log}`")


def _read_failures(path: Path) -> dict[str, Failure]:
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Failure])
    return {}


def _identify(delivery: Delivery) -> str:
    """Return a digest of the receiver: an address may contain a password."""
    milestone = delivery.milestone
    return sha256(f"{milestone.run}\0{milestone.notify}".encode()).hexdigest()[:16]


def _append_log(path: Path, lines: list[str]) -> None:
    """Append the lines; a log that has become too large is started anew."""
    if not lines:
        return
    if path.exists() and path.stat().st_size > _MAX_LOG_BYTES:
        path.unlink()
    with path.open("a", encoding="utf-8", errors="replace") as file:
        file.writelines(lines)
