"""The queue that the live page shows: looked for again and again, opened once, never created."""

import importlib.util
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.runs.queue.address import find_url, get_file, hide_password, is_shared

if TYPE_CHECKING:
    from untildone.runs.queue.task_queue import TaskQueue

# A database that does not answer is left alone for so long: each try may take seconds.
_REST_SECONDS = 10.0


class UnreadableQueueError(UserError):
    """The database cannot be read at this time."""


class QueueSource:
    """`database` is an address or a path; empty for the SQLite file in our state folder."""

    def __init__(self, context: Context, database: str = "") -> None:
        self._context = context
        self._url = find_url(database, home=context.home, environ={})
        self._is_installed = importlib.util.find_spec("dbos") is not None
        self._queue: TaskQueue | None = None
        self._lock = Lock()
        self._problem = (0.0, "")

    @property
    def name(self) -> str:
        return hide_password(self._url)

    def is_there(self) -> bool:
        """Say whether there is a queue to show; a file may come while the page is open."""
        return self._is_installed and (is_shared(self._url) or get_file(self._url).exists())

    @contextmanager
    def read(self) -> Iterator["TaskQueue"]:
        """Yield the queue; raise UserError if there is none, UnreadableQueueError if it fails."""
        if not self.is_there():
            raise UserError("there is no queue", hint='`untildone queue add "TASK"` begins one')
        until, problem = self._problem
        if time.monotonic() < until:
            raise UnreadableQueueError(problem)
        # Imported here because it comes with the extra `cluster`.
        from sqlalchemy.exc import SQLAlchemyError

        try:
            yield self._open()
        except SQLAlchemyError as error:
            raise self._rest(f"the queue cannot be read: {type(error).__name__}") from None

    def _open(self) -> "TaskQueue":
        from untildone.runs.queue.database import open_database
        from untildone.runs.queue.task_queue import TaskQueue

        with self._lock:
            if self._queue is None:
                try:
                    engine = open_database(self._url)
                except UserError as error:
                    raise self._rest(error.message) from None
                self._queue = TaskQueue(engine, self._context.now)
            return self._queue

    def _rest(self, problem: str) -> UnreadableQueueError:
        self._problem = (time.monotonic() + _REST_SECONDS, problem)
        return UnreadableQueueError(problem)
