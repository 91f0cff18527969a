"""Workers that are killed, paused or started together: every task ends exactly once."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from runs.queue.test_database import make_first_format, require_complete
from runs.queue.world import Postgres, QueueWorld, find_postgres, require_once
from tools import missing
from untildone.runs.queue.address import find_url

# Records of a task with two rounds: taken, fetch, two rounds, commit, work, verify, push, done;
# beginning, fetch, work, verify, push and end of its workflow are recorded by dbos too.
RECORDS = 15
# `make queue-faults` kills at each of them.
STEP = int(os.environ.get("UNTILDONE_TEST_STEP", "4"))


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    if not find_postgres():
        missing("Postgres is not installed")
    server = Postgres()
    yield server
    server.close()


@pytest.mark.parametrize("number", range(1, RECORDS + 1, STEP))
def test_a_worker_killed_at_any_record_loses_and_repeats_nothing(
    tmp_path: Path, number: int
) -> None:
    world = QueueWorld(tmp_path)
    task = world.add("a", rounds=2)

    world.work(kill_at=number)
    events = world.work(home="other")

    shown = world.answer("show", task)["task"]
    assert shown["state"] == "done", shown["reason"]
    require_once(world, task)
    assert len(world.calls()) <= 3, events


@pytest.mark.parametrize("number", range(2, 15, 3 * STEP))
def test_a_process_killed_while_it_makes_the_tables_leaves_none(
    tmp_path: Path, number: int
) -> None:
    world = QueueWorld(tmp_path)
    world.work(kill_at=-number)

    task = world.add("a")
    world.work()
    require_once(world, task)


def test_a_paused_worker_cannot_finish_twice(tmp_path: Path) -> None:
    world = QueueWorld(tmp_path)
    task = world.add("a", more=", slowly (2 s)")
    paused = world.start_worker()
    world.wait_for_call()
    paused.send_signal(signal.SIGSTOP)

    world.work(home="other")
    paused.send_signal(signal.SIGCONT)
    output, _ = paused.communicate(timeout=60)

    assert paused.returncode == 75, output
    require_once(world, task)


def test_workers_on_postgres_take_over_from_each_other(tmp_path: Path, postgres: Postgres) -> None:
    world = QueueWorld(tmp_path, database=postgres.url)
    tasks = [world.add(name, rounds=2) for name in ("a", "b")]

    world.work(kill_at=5)
    other = world.start_worker("--once", home="other")
    world.work(home="third")
    other.communicate(timeout=60)

    assert other.returncode == 0
    require_once(world, *tasks)
    assert len(world.calls()) <= 5


def test_a_worker_goes_on_when_postgres_is_back(tmp_path: Path, postgres: Postgres) -> None:
    world = QueueWorld(tmp_path, database=postgres.url)
    task = world.add("a", rounds=2, more=", slowly (2 s)")
    worker = world.start_worker("--once")
    world.wait_for_call()
    postgres.kill()
    time.sleep(3)
    postgres.start()

    output, errors = worker.communicate(timeout=100)
    assert worker.returncode == 0, (output, errors)
    require_once(world, task)
    assert len(world.calls()) == 2


def test_an_older_database_on_postgres_is_completed(postgres: Postgres) -> None:
    engine = sa.create_engine(find_url(postgres.url, home=Path(), environ={}))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("CREATE DATABASE older")
    engine.dispose()
    url = find_url(postgres.url.replace("/postgres", "/older"), home=Path(), environ={})
    make_first_format(url)

    require_complete(url)


def test_two_processes_may_be_first_on_a_fresh_file(tmp_path: Path) -> None:
    world = QueueWorld(tmp_path)
    workers = [world.start_worker("--once", home=name) for name in ("one", "two")]
    task = world.add("a")
    for worker in workers:
        assert worker.communicate(timeout=60)[1] == ""

    world.work()
    require_once(world, task)
