"""The queue as its users change it, in a SQLite file."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec import structs

from untildone.engine.request import StartOptions
from untildone.errors import UserError
from untildone.runs.queue.address import find_url, get_name, hide_password
from untildone.runs.queue.database import open_database, prepare_workflow_tables
from untildone.runs.queue.lease import Identity, Lease, LostLease
from untildone.runs.queue.taken_task import TakenTask
from untildone.runs.queue.task_queue import TaskQueue
from untildone.runs.queue.values import Checkpoint, Course, NewTask

NOW = "2026-05-04T13:07:00+00:00"


class Fleet:
    """A queue and workers that are only leases."""

    def __init__(self, folder: Path) -> None:
        self.engine = open_database(f"sqlite:///{folder}/queue.sqlite")
        self.queue = TaskQueue(self.engine, lambda: NOW)

    def add(self, text: str = "Fix it", **more: object) -> str:
        task = NewTask(repository="/r", options=StartOptions(task=text), **more)  # type: ignore[arg-type]  # test data
        return self.queue.add([task])[0]

    def worker(self, name: str, *, seconds: float = 60) -> Lease:
        identity = Identity(id=name, host="h", pid=1, agents=("claude",), labels=(), jobs=1)
        lease = Lease(self.engine, identity, seconds=seconds, now=lambda: NOW)
        lease.register()
        return lease

    def take(self, lease: Lease) -> TakenTask:
        task = lease.take(lambda _route: True)
        assert task
        return task

    def states(self) -> list[str]:
        return [task.state for task in self.queue.list_tasks()]


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return Fleet(tmp_path)


def test_tasks_are_taken_by_priority_then_in_their_order(fleet: Fleet) -> None:
    first, second, urgent = fleet.add(), fleet.add(), fleet.add(priority=5)
    worker = fleet.worker("w")

    assert [fleet.take(worker).id for _ in range(3)] == [urgent, first, second]
    assert worker.take(lambda _route: True) is None


def test_a_task_waits_for_those_it_comes_after(fleet: Fleet) -> None:
    first = fleet.add()
    second = fleet.add(after=(first[:6],), priority=9)
    worker = fleet.worker("w")
    assert fleet.queue.list_tasks()[0].waits_for == (first,)

    taken = fleet.take(worker)
    assert taken.id == first
    assert worker.take(lambda _route: True) is None
    worker.finish(taken, Course(outcome="done", branch="b", commit="c"))

    assert fleet.take(worker).id == second


def test_a_worker_takes_only_what_it_can_do(fleet: Fleet) -> None:
    fleet.add(agent="codex", labels=("gpu",))
    worker = fleet.worker("w")

    assert worker.take(lambda route: route != "codex\tgpu\t/r") is None
    assert not worker.has_open_task(lambda _route: False)
    assert worker.has_open_task(lambda route: route == "codex\tgpu\t/r")


def test_nothing_is_taken_while_the_queue_is_paused(fleet: Fleet) -> None:
    fleet.add()
    worker = fleet.worker("w")
    fleet.queue.set_paused(paused=True)
    assert fleet.queue.is_paused()
    assert worker.take(lambda _route: True) is None

    fleet.queue.set_paused(paused=False)
    assert worker.take(lambda _route: True)


def test_a_silent_worker_loses_its_task_and_cannot_record_any_more(fleet: Fleet) -> None:
    fleet.add()
    silent, other = fleet.worker("silent", seconds=0), fleet.worker("other")
    task = fleet.take(silent)
    silent.record(task, "fetch")
    assert other.bury_dead_workers() == ()
    assert other.take(lambda _route: True) is None

    assert other.bury_dead_workers() == ("silent",)
    with pytest.raises(LostLease):
        silent.record(task, "work")
    taken = fleet.take(other)

    assert (taken.id, taken.token, taken.is_taken_over) == (task.id, 2, True)
    for late in (
        lambda: silent.require(task),
        lambda: silent.record(task, "work"),
        lambda: silent.finish(task, Course(outcome="done", branch="b")),
    ):
        with pytest.raises(LostLease):
            late()
    assert not silent.beat()
    assert silent.is_lost.is_set()
    assert fleet.states() == ["running"]


def test_nobody_judges_others_after_not_looking(fleet: Fleet) -> None:
    fleet.worker("w", seconds=0)
    other = fleet.worker("other")
    assert other.bury_dead_workers() == ()
    # The database was away, or this process was stopped: nobody was seen to be silent.
    time.sleep(3.1)
    assert other.bury_dead_workers() == ()
    assert other.bury_dead_workers() == ("w",)


@pytest.mark.parametrize("rival", ["takes", "cancels"])
def test_a_task_that_changes_while_it_is_taken_is_left_alone(
    fleet: Fleet, tmp_path: Path, rival: str
) -> None:
    name, later = fleet.add(), fleet.add()
    worker = fleet.worker("w")
    second = Fleet(tmp_path)
    other = second.worker("other")
    moves: dict[str, Callable[[], object]] = {
        "takes": lambda: second.take(other),
        "cancels": lambda: second.queue.cancel(name),
    }
    chances = [moves[rival]]

    def interfere(_c: Any, _k: Any, statement: str, *_: Any) -> None:  # noqa: ANN401  SQLAlchemy's own
        # The lock of the taking comes after a first look without it.
        if statement == "BEGIN IMMEDIATE" and chances:
            chances.pop()()

    sa.event.listen(fleet.engine, "before_cursor_execute", interfere)

    assert fleet.take(worker).id == later
    first = next(task for task in fleet.queue.list_tasks() if task.id == name)
    expected = ("running", "other") if rival == "takes" else ("cancelled", "")
    assert (first.state, first.worker) == expected


def test_a_worker_that_beats_is_not_buried(fleet: Fleet) -> None:
    worker, other = fleet.worker("w", seconds=0), fleet.worker("other", seconds=0)
    patient = fleet.worker("patient")
    for _ in range(3):
        assert other.bury_dead_workers() == ()
        assert not worker.beat()
    assert patient.bury_dead_workers() == ()
    assert patient.bury_dead_workers() == ("w", "other")


def test_a_worker_that_ended_leaves_its_tasks_at_once(fleet: Fleet) -> None:
    fleet.add()
    first, second = fleet.worker("a"), fleet.worker("b")
    fleet.take(first)
    first.end()

    assert fleet.take(second).is_taken_over


def test_the_newest_checkpoint_is_found_also_after_a_retry(fleet: Fleet) -> None:
    name = fleet.add()
    worker = fleet.worker("w")
    task = fleet.take(worker)
    assert worker.find_checkpoint(task) == (None, False)
    points = [
        Checkpoint(ref=f"r{number}", commit="c", rounds=number, spend_usd=None, note="")
        for number in (1, 2)
    ]
    for point in points:
        worker.record(task, "round", checkpoint=point)
    assert worker.find_checkpoint(task) == (points[1], True)

    worker.finish(task, Course(outcome="stagnated", reason="nothing moved"))
    assert fleet.queue.retry(name).changed == (name,)
    again = fleet.take(worker)
    assert (again.attempt, again.workflow) == (2, f"{name}.2")
    assert worker.find_checkpoint(again) == (points[1], False)
    with pytest.raises(LostLease):
        worker.record(task, "too late")


def test_what_is_queued_is_cancelled_at_once_what_runs_by_its_worker(fleet: Fleet) -> None:
    running, queued = fleet.add(priority=1), fleet.add()
    worker = fleet.worker("w")
    task = fleet.take(worker)

    assert fleet.queue.cancel(queued).note == "cancelled"
    assert fleet.queue.cancel(running).note == "its worker ends it"
    assert worker.list_cancelling([running, queued]) == (running,)
    assert [task.is_cancelling for task in fleet.queue.list_tasks()] == [True, False]
    assert worker.finish(task, Course(outcome="cancelled")) == "cancelled"
    with pytest.raises(UserError, match="is cancelled already"):
        fleet.queue.cancel(queued)
    fleet.add()
    again = fleet.take(worker).id
    with pytest.raises(UserError, match="is running"):
        fleet.queue.retry(again)


def test_drained_workers_are_told_so(fleet: Fleet) -> None:
    worker = fleet.worker("w")
    assert fleet.queue.drain().changed == ("w",)
    assert worker.beat()
    assert [one.state for one in fleet.queue.list_workers()] == ["draining"]


def test_a_task_is_found_by_the_beginning_of_its_id(fleet: Fleet) -> None:
    name = fleet.add("Fix <script>", source="#7")
    worker = fleet.worker("w")
    worker.finish(fleet.take(worker), Course(outcome="done", branch="b", commit="c", rounds=3))

    details = fleet.queue.show(name[:5])
    assert (details.task.id, details.task.commit, details.rounds) == (name, "c", 3)
    assert [step.name for step in details.steps] == ["taken", "done"]
    with pytest.raises(UserError, match="there is no task `zz`"):
        fleet.queue.show("zz")
    fleet.queue.add([NewTask(repository="/r", options=StartOptions(task="x"))] * 40)
    with pytest.raises(UserError, match="several tasks begin"):
        fleet.queue.show(next(task.id[:1] for task in fleet.queue.list_tasks()[-17:]))


def test_tasks_added_together_may_wait_for_each_other(fleet: Fleet) -> None:
    one = NewTask(repository="/r", options=StartOptions(task="x"))
    first, second = fleet.queue.add([one, structs.replace(one, after_new=(0,))])

    tasks = {task.id: task.waits_for for task in fleet.queue.list_tasks()}
    assert tasks == {first: (), second: (first,)}


def test_tasks_are_added_all_or_none(fleet: Fleet) -> None:
    good = NewTask(repository="/r", options=StartOptions(task="x"))
    bad = NewTask(repository="/r", options=StartOptions(task="x"), after=("zz",))
    with pytest.raises(UserError, match="there is no task `zz`"):
        fleet.queue.add([good, bad])
    assert fleet.states() == []


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("", "sqlite:////home/queue.sqlite"),
        ("/a/q.db", "sqlite:////a/q.db"),
        ("sqlite:////a/q.db", "sqlite:////a/q.db"),
        ("postgres://u@h/db", "postgresql+psycopg://u@h/db"),
        ("postgresql://u@h/db", "postgresql+psycopg://u@h/db"),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="paths of POSIX")
def test_addresses(given: str, url: str) -> None:
    assert find_url(given, home=Path("/home"), environ={}) == url
    assert find_url("", home=Path("/home"), environ={"UNTILDONE_DATABASE": given}) == url


def test_an_address_of_another_database_is_refused() -> None:
    with pytest.raises(UserError, match="`mysql` is no database that the queue knows"):
        find_url("mysql://h/db", home=Path("/home"), environ={})


def test_a_password_is_never_shown() -> None:
    assert hide_password("postgresql+psycopg://u:pw@h/db") == "postgresql://u:***@h/db"
    shown = hide_password("postgresql+psycopg://h/db?sslmode=require&password=pw&user=u")
    assert shown == "postgresql://h/db?sslmode=require&password=***&user=u"
    assert hide_password("sqlite:////a/q.db") == "/a/q.db"


def test_the_name_of_a_database_is_its_users_without_one() -> None:
    assert get_name("postgresql+psycopg://u@h/my%20db") == "my db"
    assert get_name("postgresql+psycopg://u@h") == "u"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("sqlite:////proc/none/queue.sqlite", "the queue's file `/proc/none/queue.sqlite`"),
        ("postgresql+psycopg://u:pw@127.0.0.1:1/db", r"`postgresql://u:\*\*\*@127.0.0.1:1/db`"),
    ],
)
def test_a_database_that_cannot_be_used_is_named_with_the_remedy(url: str, reason: str) -> None:
    with pytest.raises(UserError, match=reason) as error:
        open_database(url)
    assert "--database" in error.value.hint


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "queue.sqlite"
    path.write_bytes(b"not a database, but long enough to look at" * 50)
    with pytest.raises(UserError, match="file is not a database"):
        open_database(f"sqlite:///{path}")


def test_the_tables_of_dbos_are_made_once(fleet: Fleet, tmp_path: Path) -> None:
    for _ in range(2):
        prepare_workflow_tables(f"sqlite:///{tmp_path}/queue.sqlite", fleet.engine)
    assert sa.inspect(fleet.engine).has_table("workflow_status")
