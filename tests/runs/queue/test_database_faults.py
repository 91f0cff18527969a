"""A database that dies, is cut off, is silent, is full: tasks end once, and the user is told."""

import random
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from runs.queue.machine_faults import Cable, fill, make_read_only, open_cable
from runs.queue.world import Postgres, QueueWorld, find_postgres, read_events, require_once
from store.disk import mount
from tools import missing
from untildone.engine.request import StartOptions
from untildone.process.orphans import end_marked_processes
from untildone.runs.queue.database import create_engine, open_database
from untildone.runs.queue.lease import Identity, Lease
from untildone.runs.queue.task_queue import TaskQueue
from untildone.runs.queue.values import NewTask


@pytest.fixture(scope="module")
def cable() -> Iterator[Cable]:
    with open_cable() as cable:
        yield cable


@pytest.fixture(scope="module")
def postgres(cable: Cable) -> Iterator[Postgres]:
    if not find_postgres():
        missing("Postgres is not installed")
    server = Postgres(cable.address)
    yield server
    server.close()


def test_workers_go_on_when_postgres_was_killed(tmp_path: Path, postgres: Postgres) -> None:
    world = QueueWorld(tmp_path, database=postgres.url)
    tasks = [world.add(name, rounds=2, more=", slowly (2 s)") for name in ("a", "b")]
    workers = [world.start_worker("--once", "--lease", "30", home=home) for home in ("one", "two")]
    world.wait_for_call(2)
    postgres.kill()
    time.sleep(7)
    postgres.start()

    for worker in workers:
        output, errors = worker.communicate(timeout=100)
        assert (worker.returncode, errors) == (0, ""), (output, errors)
        names = [event["event"] for event in read_events(output)]
        assert names.count("database-away") == names.count("database-back") == 1
    require_once(world, *tasks)


@pytest.mark.parametrize("silence", ["cut", "frozen"])
def test_a_worker_without_its_database_ends_its_agent_with_its_lease(
    tmp_path: Path, postgres: Postgres, cable: Cable, silence: str
) -> None:
    world = QueueWorld(tmp_path, database=postgres.url)
    task = world.add("a", rounds=2, more=", slowly (3 s)")
    prefix = cable.prefix if silence == "cut" else ()
    worker = world.start_worker("--lease", "4", prefix=prefix)
    world.wait_for_call()
    cable.cut() if silence == "cut" else postgres.send_signal(signal.SIGSTOP)
    try:
        output, errors = worker.communicate(timeout=40)
    finally:
        cable.mend()
        postgres.send_signal(signal.SIGCONT)

    events = read_events(output)
    assert (worker.returncode, errors) == (75, ""), (output, errors)
    assert "database-away" in [event["event"] for event in events]
    assert "away for the whole lease" in events[-1]["reason"]
    assert end_marked_processes("UNTILDONE_WORKER", events[0]["worker"]) == 0
    world.work(home="other")
    require_once(world, task, kills=1)


def test_a_cut_that_is_shorter_than_the_lease_costs_nothing(
    tmp_path: Path, postgres: Postgres, cable: Cable
) -> None:
    world = QueueWorld(tmp_path, database=postgres.url)
    task = world.add("a", rounds=2, more=", slowly (2 s)")
    worker = world.start_worker("--once", "--lease", "30", prefix=cable.prefix)
    world.wait_for_call()
    cable.cut()
    time.sleep(8)
    cable.mend()
    output, errors = worker.communicate(timeout=100)

    assert (worker.returncode, errors) == (0, ""), (output, errors)
    require_once(world, task)


def test_a_full_disk_of_the_queue_ends_the_worker_with_the_remedy(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    with mount(disk, options="size=8m,mode=700"):
        world = QueueWorld(tmp_path, database=str(disk / "queue.sqlite"))
        task = world.add("a", rounds=2, more=", slowly (2 s)")
        # Long enough that it notices the disk before others could have its task.
        worker = world.start_worker("--lease", "8")
        world.wait_for_call()
        ballast = fill(disk)
        output, errors = worker.communicate(timeout=60)

        assert (worker.returncode, errors) == (74, ""), (output, errors)
        reason = "the queue cannot be written: database or disk is full; free some space"
        assert read_events(output)[-1]["reason"].startswith(reason)
        refused = world.run("queue", "add", "Write b", "--repo", str(world.remote))
        assert refused.returncode == 2
        assert "cannot be used: database or disk is full" in refused.stderr
        assert "hint: free some space" in refused.stderr
        ballast.unlink()
        world.work(home="other")
        require_once(world, task, kills=1)


def test_a_full_disk_of_the_worker_leaves_its_tasks_to_others(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    world = QueueWorld(tmp_path)
    tasks = [world.add("a", rounds=2, more=", slowly (1 s)"), world.add("b")]
    with mount(disk, options="size=8m,mode=700"):
        worker = world.start_worker("--lease", "30", home="disk/state")
        world.wait_for_call()
        fill(disk)
        output, errors = worker.communicate(timeout=60)

    assert (worker.returncode, errors) == (74, ""), (output, errors)
    assert "its disk cannot be written" in read_events(output)[-1]["reason"]
    world.work(home="other")
    require_once(world, *tasks, kills=1)


@pytest.mark.parametrize("what", ["queue.sqlite", "."])
def test_a_read_only_queue_is_named_and_loses_nothing(tmp_path: Path, what: str) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    with mount(disk, options="size=8m,mode=700"):
        world = QueueWorld(tmp_path, database=str(disk / "queue.sqlite"))
        task = world.add("a")
        with make_read_only(disk / what):
            worker = world.worker_arguments("--once")
            for arguments in (("queue", "cancel", task), worker):
                refused = world.run(*arguments)
                assert refused.returncode == 2
                expected = f"the queue's file `{world.database}` cannot be used: read-only"
                assert expected in refused.stderr
        assert [shown["state"] for shown in world.answer("list")["tasks"]] == ["queued"]


def test_a_power_cut_loses_nothing_that_was_committed(tmp_path: Path) -> None:
    file = tmp_path / "queue.sqlite"
    engine = open_database(f"sqlite:///{file}")
    identity = Identity(id="w", host="h", pid=1, agents=("claude",), labels=(), jobs=1)
    lease = Lease(engine, identity, seconds=60, now=str)
    lease.register()
    queue = TaskQueue(engine, str)
    queue.add([NewTask(repository="/r", options=StartOptions(task="x" * 2_000))])
    task = lease.take(lambda _route: True)
    assert task
    log = tmp_path / "queue.sqlite-wal"
    written = [log.stat().st_size]
    for number in range(20):
        lease.record(task, f"step {number}", detail="y" * 3_000)
        written.append(log.stat().st_size)

    chance = random.Random(7)  # noqa: S311  no secret
    for moment in range(60):
        cut = chance.randrange(written[0], written[-1])
        copy = tmp_path / f"cut-{moment}.sqlite"
        shutil.copy(file, copy)
        # What was not synced yet may be missing, or be there as zeros.
        data = log.read_bytes()[:cut] + bytes(chance.choice((0, 4096)))
        copy.with_name(f"{copy.name}-wal").write_bytes(data)
        kept = TaskQueue(open_database(f"sqlite:///{copy}"), str).show(task.id).steps
        # Each commit ended with a sync, so all that was written before it is there.
        expected = sum(size <= cut for size in written[1:])
        assert [step.name for step in kept] == [
            "taken",
            *(f"step {number}" for number in range(expected)),
        ]


@pytest.mark.parametrize("connections", [5, 20])
def test_every_commit_to_a_file_is_synced(tmp_path: Path, connections: int) -> None:
    engine = create_engine(f"sqlite:///{tmp_path}/queue.sqlite", connections=connections)
    with engine.connect() as connection:
        values = [
            connection.execute(sa.text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "synchronous")
        ]
    assert values == ["wal", 2]
