"""The last lines that running checks print, in a file of the session, for the live page."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from untildone.checks.clean_output import clean
from untildone.checks.parallel_run import CheckOutputCallback
from untildone.core.contract import Check
from untildone.core.text import shorten
from untildone.store.sessions import Session

# The session's file with the last lines by the names of the checks: `{"test": "..F."}`.
OUTPUT = "output"
_WRITE_SECONDS = 1.0
_KEPT_BYTES = 4_000
_MAX_LINES = 8
_MAX_WIDTH = 200


@contextmanager
def record_output(session: Session) -> Iterator[CheckOutputCallback]:
    """Yield a callback for `run_checks`; what it gets is written once a second."""
    tails: dict[str, bytes] = {}
    changed, ended, lock = threading.Event(), threading.Event(), threading.Lock()

    def add(check: Check, chunk: bytes) -> None:
        with lock:
            tails[check.name] = (tails.get(check.name, b"") + chunk[-_KEPT_BYTES:])[-_KEPT_BYTES:]
        changed.set()

    def write() -> None:
        while not ended.wait(_WRITE_SECONDS):
            if changed.is_set():
                changed.clear()
                with lock:
                    kept = dict(tails)
                # A full disk costs the display, never the verdict.
                with suppress(OSError):
                    session.write_json(OUTPUT, {name: _cut(tail) for name, tail in kept.items()})

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        yield add
    finally:
        ended.set()
        writer.join()
        with suppress(OSError):
            session.remove(OUTPUT)


def _cut(tail: bytes) -> str:
    """Return the last lines without secrets; the first one of them may be cut off."""
    lines = clean(tail.decode("utf-8", "replace"), environ=os.environ).rstrip().splitlines()
    return "\n".join(shorten(line, _MAX_WIDTH) for line in lines[-_MAX_LINES:])
