"""Whether the database answers a worker: since when not, why, and when it must give up.

Every thread that asks the database notes here what it heard. The main thread never asks, so it
sees also a database that neither answers nor fails. It must end the agents when the lease has run
out: others may have the tasks then, and what the agents still do costs money for nothing.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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


class _Failure(Struct, frozen=True, kw_only=True):
    since: float
    reason: str
    # Why it cannot end by itself, if it cannot.
    loss: Loss | None


class DatabaseWatch:
    """`lease`: for how many seconds the tasks are ours after a beat was begun."""

    def __init__(self, lease: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._lease = lease
        self._patience = min(_PATIENCE_SECONDS, lease / 2)
        self._clock = clock
        self._lock = threading.Lock()
        self._looked = self._confirmed = clock()
        # Since when a beat has been waiting for its answer.
        self._asked: float | None = None
        # By who asked: on a full disk reading goes on, so an answer to one is none to another.
        self._failures: dict[object, _Failure] = {}
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

    @contextmanager
    def follow(self) -> Iterator[object]:
        """Yield who asks, whose failures count until it got its answer or asks no more."""
        who = object()
        try:
            yield who
        finally:
            with self._lock:
                self._failures.pop(who, None)

    def note_failure(self, who: object, error: BaseException) -> None:
        with self._lock:
            before = self._failures.get(who)
            self._failures[who] = _Failure(
                since=before.since if before else self._clock(),
                reason=describe_database_error(error),
                loss=find_database_loss(error),
            )

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
            since = self._find_beginning()
            if since is None:
                return self._look_back(now)
            return Look() if now - since < self._patience else self._look_away(now, since=since)

    def _find_beginning(self) -> float | None:
        """Return since when somebody has had no answer."""
        moments = [failure.since for failure in self._failures.values()]
        return min(moments if self._asked is None else [*moments, self._asked], default=None)

    def _forget_pause(self, now: float) -> None:
        """Leave the next beat the time to find out whether others have the tasks."""
        self._confirmed = max(self._confirmed, now - self._lease / 2)
        self._asked = None if self._asked is None else now
        self._failures.clear()

    def _look_back(self, now: float) -> Look:
        told, self._told = self._told, None
        return Look() if told is None else Look(event=DatabaseBack(seconds=round(now - told, 1)))

    def _look_away(self, now: float, *, since: float) -> Look:
        failures = sorted(self._failures.values(), key=lambda failure: failure.since)
        reason = failures[0].reason if failures else _SILENT
        event = DatabaseAway(reason=reason) if self._told is None else None
        self._told = since if self._told is None else self._told
        late = [one for one in failures if now - one.since >= self._patience]
        loss = next((one.loss for one in late if one.loss), None)
        if loss is None and now - self._confirmed > self._lease:
            text = f"the database was away for the whole lease ({reason})"
            loss = Loss(reason=f"{text}: others may have its tasks")
        return Look(event=event, loss=loss)
