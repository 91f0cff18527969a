"""Whether the database answers a worker: since when not, why, and when it must give up.

Every thread that asks the database notes here what it heard. The main thread never asks, so it
sees also a database that neither answers nor fails. It must end the agents when the lease has run
out: others may have the tasks then, and what the agents still do costs money for nothing.
"""

import threading
import time
from collections.abc import Callable

from msgspec import Struct

from untildone.runs.queue.losses import Loss, describe_database_error, find_database_loss
from untildone.runs.queue.worker_events import DatabaseAway, DatabaseBack

_PATIENCE_SECONDS = 5.0
# A look so late tells that this process was stopped, not that the database is silent.
_PAUSE_SECONDS = 3.0
_SILENT = "no answer"


class Look(Struct, frozen=True, kw_only=True):
    """What the user should hear now, and why the tasks must be given up, if they must."""

    event: DatabaseAway | DatabaseBack | None = None
    loss: Loss | None = None


class DatabaseWatch:
    """`lease`: for how many seconds the tasks are ours after a beat was begun."""

    def __init__(self, lease: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._lease = lease
        self._patience = min(_PATIENCE_SECONDS, lease / 2)
        self._clock = clock
        self._lock = threading.Lock()
        self._looked = self._confirmed = clock()
        # Since when a beat has been waiting for its answer, and since when everything fails.
        self._asked: float | None = None
        self._failed: float | None = None
        self._reason = ""
        # Why it cannot come back by itself, if it cannot.
        self._loss: Loss | None = None
        # Since when the user knows that it is away.
        self._told: float | None = None

    def begin_beat(self) -> None:
        with self._lock:
            self._asked = self._clock()

    def confirm_beat(self) -> None:
        """Note that others have seen us alive, at the earliest when the beat was begun."""
        with self._lock:
            self._confirmed = self._clock() if self._asked is None else self._asked
            self._asked = None

    def note_answer(self) -> None:
        with self._lock:
            self._failed = None

    def note_failure(self, error: BaseException) -> None:
        with self._lock:
            self._failed = self._clock() if self._failed is None else self._failed
            self._reason = describe_database_error(error)
            self._loss = find_database_loss(error)

    @property
    def is_away(self) -> bool:
        with self._lock:
            return self._told is not None

    def look(self) -> Look:
        """Return what has changed since the last look, which was a moment ago."""
        with self._lock:
            now = self._clock()
            if now - self._looked > _PAUSE_SECONDS:
                self._forget_pause(now)
            self._looked = now
            moments = [moment for moment in (self._asked, self._failed) if moment is not None]
            if not moments or now - min(moments) < self._patience:
                return self._look_back(now) if not moments else Look()
            return self._look_away(now, since=min(moments))

    def _forget_pause(self, now: float) -> None:
        """Leave the next beat the time to find out whether others have the tasks."""
        self._confirmed = max(self._confirmed, now - self._lease / 2)
        self._asked = None if self._asked is None else now
        self._failed = None if self._failed is None else now

    def _look_back(self, now: float) -> Look:
        told, self._told = self._told, None
        return Look() if told is None else Look(event=DatabaseBack(seconds=round(now - told, 1)))

    def _look_away(self, now: float, *, since: float) -> Look:
        reason = self._reason if self._failed is not None else _SILENT
        event = DatabaseAway(reason=reason) if self._told is None else None
        self._told = since if self._told is None else self._told
        loss = self._loss if self._failed is not None else None
        if loss is None and now - self._confirmed > self._lease:
            text = f"the database was away for the whole lease ({reason})"
            loss = Loss(reason=f"{text}: others may have its tasks")
        return Look(event=event, loss=loss)
