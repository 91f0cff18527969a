"""What the queue itself costs a task, with few and with very many tasks in it."""

import statistics
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from bench.queue.databases import Create
from bench.table import Row, measure_seconds
from untildone.engine.request import StartOptions
from untildone.runs.queue.database import open_database
from untildone.runs.queue.lease import Identity, Lease
from untildone.runs.queue.task_queue import TaskQueue
from untildone.runs.queue.values import Checkpoint, Course, NewTask

FEW, MANY = 100, 10_000
TURNS = 150
# A task with one round.
RECORDS = ("fetch", "round 1", "commit", "work", "verify", "push")
DONE = Course(outcome="done", branch="untildone/x", receipt="x" * 2_000)
CHECKPOINT = Checkpoint(ref="refs/x", commit="0" * 40, rounds=1, spend_usd=0.1, note="x" * 500)
ADDED = NewTask(
    repository="git@example.org:team/app.git",
    options=StartOptions(task="Port the parser\n\n" + "word " * 100, checks=("make test",)),
)


def measure(kinds: Mapping[str, Create]) -> Iterator[Row]:
    for name, create in kinds.items():
        few, many = (FilledQueue(create(f"taking_{size}"), size) for size in (FEW, MANY))
        times = [(few.time_task(), many.time_task()) for _ in range(TURNS)]
        small, large = (statistics.median(each) for each in zip(*times, strict=True))
        print(f"({name}: {1000 * small:.1f} ms a task with {FEW}, {1000 * large:.1f} with {MANY};")
        print(f" taking one of {MANY}: {1000 * statistics.median(many.takings):.1f} ms)")
        what = f"a task's records, {MANY:,} queued, {name}"
        yield Row(what, large / small, 1.5, f"the same with {FEW} queued")
        few.close()
        many.close()


class FilledQueue:
    """A queue with so many tasks, and a worker."""

    def __init__(self, url: str, size: int) -> None:
        self._engine = open_database(url)
        self._queue = TaskQueue(self._engine, now)
        self._queue.add([ADDED] * size)
        me = Identity(id="bench", host="bench", pid=1, agents=("claude",), labels=(), jobs=1)
        self._lease = Lease(self._engine, me, seconds=60, now=now)
        self._lease.register()
        # Seconds of each taking.
        self.takings: list[float] = []

    def time_task(self) -> float:
        seconds = measure_seconds(self._run_task)
        self._queue.add([ADDED])
        return seconds

    def _run_task(self) -> None:
        """Ask and write what a worker does for a task, in the same order."""
        lease = self._lease
        began = time.perf_counter()
        task = lease.take(lambda _route: True)
        self.takings.append(time.perf_counter() - began)
        if task is None:
            raise RuntimeError("no task is left")
        for name in RECORDS:
            lease.require(task)
            lease.list_cancelling([task.id])
            lease.record(task, name, checkpoint=CHECKPOINT if name == "round 1" else None)
        lease.finish(task, DONE)

    def close(self) -> None:
        self._engine.dispose()


def now() -> str:
    return datetime.now(UTC).isoformat()
