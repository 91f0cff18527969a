"""Notices while a stop is judged that its verdict is not wanted any more.

The user pauses or cancels the loop: from a terminal, or by a prompt that the client keeps in its
queue until the Stop hook has answered. Or the client was killed, and nobody waits for the answer.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

from untildone.engine.context import Context
from untildone.engine.payload import Call
from untildone.engine.speaker import read_tail
from untildone.engine.stopped_loop import StoppedLoop
from untildone.errors import UserError
from untildone.store.durable_files import DamagedFileError
from untildone.store.lock import LockTimeoutError

_POLL_SECONDS = 0.2


class AbandonedError(Exception):
    """The user ends the loop: its checks need not be run to their end."""


@contextmanager
def watch_for_early_end(context: Context, call: Call, loop: StoppedLoop) -> Iterator[Event]:
    """Yield an event that is set when the user pauses or cancels the loop.

    Queued input lets one stop per prompt go, here as before the checks: whatever stays in the
    queue must not free the agent again and again.
    If the client dies, this process gets the signal that the client would have sent at its end.
    """
    abandoned, finished = Event(), Event()
    parent = os.getppid()
    # A headless run judges in its own process, which has no client above it.
    is_hook = call.source != "run"
    is_first = not loop.stop.prompt or loop.stop.prompt != loop.progress.waited_for_prompt
    reads_queue = loop.stop.attended and is_first

    def watch() -> None:
        transcript_size = -1
        while not finished.wait(_POLL_SECONDS):
            if is_hook and os.getppid() != parent:
                os.kill(os.getpid(), signal.SIGTERM)
                return
            size = _measure(loop.stop.transcript)
            has_grown = reads_queue and size != transcript_size
            if _is_ended(context, loop) or (has_grown and _has_queued_verb(context, loop)):
                abandoned.set()
                return
            transcript_size = size

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield abandoned
    finally:
        finished.set()
        watcher.join()


def _is_ended(context: Context, loop: StoppedLoop) -> bool:
    """Say whether the loop was paused or cancelled; the index alone proves nothing."""
    if context.session_of(loop.record).is_active():
        return False
    try:
        return context.loops.load(loop.contract.id).progress.status != "active"
    except (UserError, DamagedFileError, LockTimeoutError, OSError):
        return False


def _has_queued_verb(context: Context, loop: StoppedLoop) -> bool:
    queue = tuple(context.agent.list_queued_input(read_tail(loop.stop.transcript)))
    if not queue:
        return False
    # Imported where it is used: hardly any user types during a stop.
    from untildone.engine.phrases import find_verb

    verbs = (find_verb(text, has_loop=True) for text in queue)
    return any(found and found.verb in ("pause", "cancel") for found in verbs)


def _measure(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except (OSError, ValueError):
        return -1
