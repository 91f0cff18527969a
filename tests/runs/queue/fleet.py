"""A queue in a real database, and workers that are only leases; time passes when a test says so."""

import threading
from collections.abc import Callable, Sequence

import sqlalchemy as sa

from untildone.engine.request import StartOptions
from untildone.runs.queue.database import open_database
from untildone.runs.queue.lease import Identity, Lease
from untildone.runs.queue.limit_rules import Limit
from untildone.runs.queue.limits import LimitBook
from untildone.runs.queue.tables import ACCOUNTS, METADATA, TASKS, USAGE, WORKERS
from untildone.runs.queue.taken_task import TakenTask
from untildone.runs.queue.task_queue import TaskQueue
from untildone.runs.queue.values import Checkpoint, Course, NewTask, QueueTask

NOW = "2026-05-04T13:07:00+00:00"
DONE = Course(outcome="done", branch="b", commit="c")


class Fleet:
    def __init__(self, url: str) -> None:
        before = open_database(url)
        METADATA.drop_all(before)
        before.dispose()
        self.engine = open_database(url)
        self.queue = TaskQueue(self.engine, lambda: NOW)
        self.limits = LimitBook(self.engine, lambda: NOW)

    def add(self, repository: str = "/r", *, budget: float | None = None, **more: object) -> str:
        options = StartOptions(task="Fix it", budget=budget)
        task = NewTask(repository=repository, options=options, **more)  # type: ignore[arg-type]  # test data
        return self.queue.add([task])[0]

    def add_many(self, count: int, repository: str = "/r") -> tuple[str, ...]:
        task = NewTask(repository=repository, options=StartOptions(task="Fix it"))
        return self.queue.add([task] * count)

    def add_routes(self, count: int, *, budget: float | None = None) -> None:
        """Add tasks that two workers find at once, because each is the first of its route."""
        for number in range(count):
            self.add(budget=budget, labels=(f"l{number}",))

    def limit(self, **given: object) -> None:
        self.limits.set_limit(Limit(**given))  # type: ignore[arg-type]  # test data

    def worker(self, name: str, *, account: str = "team", seconds: float = 60) -> Lease:
        identity = Identity(
            id=name, host="h", pid=1, agents=("claude",), labels=(), jobs=1, account=account
        )
        lease = Lease(self.engine, identity, seconds=seconds, now=lambda: NOW)
        lease.register()
        return lease

    def pair(self) -> tuple[Lease, Lease]:
        return self.worker("one"), self.worker("two")

    def task(self, name: str) -> QueueTask:
        return next(task for task in self.queue.list_tasks() if task.id == name)

    def pass_time(self, seconds: int) -> None:
        """Move everything that has happened into the past."""
        moved = seconds * 1_000
        with self.engine.begin() as connection:
            for column in (TASKS.c.not_before_ms, TASKS.c.deadline_ms):
                change = sa.update(column.table).where(column > 0)
                connection.execute(change.values({column: column - moved}))
            until = ACCOUNTS.c.asleep_until_ms
            connection.execute(sa.update(ACCOUNTS).values({until: until - moved}))
            minute = USAGE.c.minute
            change = sa.update(USAGE).where(minute > 0)
            connection.execute(change.values({minute: minute - seconds // 60}))

    def die(self, lease: Lease) -> None:
        with self.engine.begin() as connection:
            gone = sa.update(WORKERS).where(WORKERS.c.id == lease.identity.id)
            connection.execute(gone.values(state="dead"))

    def take_at_once(self, leases: Sequence[Lease], *, tries: int) -> list[str]:
        """Let all workers take tasks at the same time; return what they got."""
        barrier, taken = threading.Barrier(len(leases)), list[str]()

        def work(lease: Lease) -> None:
            for _ in range(tries):
                barrier.wait()
                task = take(lease)
                if task:
                    taken.append(task.id)

        run_at_once([lambda lease=lease: work(lease) for lease in leases])  # type: ignore[misc]  # bound now
        return taken


def run_at_once(actions: Sequence[Callable[[], object]]) -> None:
    threads = [threading.Thread(target=action) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def take(lease: Lease) -> TakenTask | None:
    return lease.take(lambda _route: True)


def must_take(lease: Lease) -> TakenTask:
    task = take(lease)
    assert task
    return task


def make_checkpoint(spend_usd: float, rounds: int = 1) -> Checkpoint:
    return Checkpoint(ref=f"r{rounds}", commit="c", rounds=rounds, spend_usd=spend_usd, note="")
