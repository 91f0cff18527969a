"""What is kept for a retry is removed when its task ended long ago, and only that."""

from pathlib import Path

import pytest

from runs.queue.test_repositories import Remote
from untildone.engine.request import StartOptions
from untildone.runs.queue.database import open_database
from untildone.runs.queue.lease import Identity, Lease
from untildone.runs.queue.old_work import remove_old_work
from untildone.runs.queue.repositories import Push
from untildone.runs.queue.task_queue import TaskQueue
from untildone.runs.queue.values import Checkpoint, Course, NewTask, get_work_ref

OLD, NOW = "2026-01-01T00:00:00+00:00", "2026-06-01T00:00:00+00:00"


class Kept(Remote):
    """Tasks with a pushed round: one ended long ago, one lately, one is retried."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.folder = folder / "cache"
        self.engine = open_database(f"sqlite:///{folder}/queue.sqlite")
        self.commit_made = self.commit("work")
        self.old = self.end(OLD, str(self.bare))
        self.late = self.end(NOW, str(self.bare))
        self.retried = self.end(OLD, str(self.bare))
        TaskQueue(self.engine, lambda: OLD).retry(self.retried)

    def end(self, at: str, repository: str) -> str:
        queue = TaskQueue(self.engine, lambda: at)
        (name,) = queue.add([NewTask(repository=repository, options=StartOptions(task="x"))])
        identity = Identity(id=f"w-{name}", host="h", pid=1, agents=("claude",), labels=(), jobs=1)
        lease = Lease(self.engine, identity, seconds=60, now=lambda: at)
        lease.register()
        task = lease.take(lambda _route: True)
        assert task
        ref = get_work_ref(name, task.token, "1")
        if repository == str(self.bare):
            self.cache.push([Push(ref=ref, commit=self.commit_made)])
        point = Checkpoint(ref=ref, commit="c", rounds=1, spend_usd=None, note="")
        lease.record(task, "round 1", checkpoint=point)
        lease.finish(task, Course(outcome="stagnated", reason="nothing moved"))
        return name

    def kept(self) -> list[str]:
        prefix = "refs/untildone/work/"
        return [ref.removeprefix(prefix) for ref in self.refs() if ref.startswith(prefix)]


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def test_only_the_rounds_of_tasks_that_ended_long_ago_are_removed(kept: Kept) -> None:
    change = remove_old_work(kept.engine, kept.folder, before="2026-05-01T00:00:00+00:00")

    assert (change.changed, change.note) == ((kept.old,), "the rounds of 1 task are removed")
    assert sorted(kept.kept()) == sorted((f"{kept.late}-1-1", f"{kept.retried}-1-1"))
    again = remove_old_work(kept.engine, kept.folder, before="2026-05-01T00:00:00+00:00")
    assert again.changed == ()


def test_a_retry_after_that_begins_anew(kept: Kept) -> None:
    remove_old_work(kept.engine, kept.folder, before="2026-05-01T00:00:00+00:00")
    queue = TaskQueue(kept.engine, lambda: NOW)
    queue.cancel(kept.retried)
    queue.retry(kept.old)
    identity = Identity(id="w", host="h", pid=1, agents=("claude",), labels=(), jobs=1)
    lease = Lease(kept.engine, identity, seconds=60, now=lambda: NOW)
    lease.register()
    task = lease.take(lambda _route: True)
    assert task
    assert (task.id, lease.find_checkpoint(task)) == (kept.old, (None, False))


def test_a_repository_that_is_gone_does_not_keep_the_others(kept: Kept, tmp_path: Path) -> None:
    TaskQueue(kept.engine, lambda: NOW).cancel(kept.retried)
    kept.end(OLD, str(tmp_path / "gone"))
    change = remove_old_work(kept.engine, kept.folder, before="2026-05-01T00:00:00+00:00")

    assert change.changed == (kept.old,)
    assert "`git ls-remote` failed" in change.note
