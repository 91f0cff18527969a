"""Workers that are killed, paused or started together: every task ends exactly once."""

import os
import random
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path

import pytest
import sqlalchemy as sa

from runs.queue.machine_faults import preload_clock, set_clock
from runs.queue.test_database import make_first_format, require_complete
from runs.queue.world import Postgres, QueueWorld, find_postgres, require_once
from tools import missing
from untildone.runs.queue.address import find_url

# Records of a task with two rounds: taken, fetch, two rounds, commit, work, verify, push, merging,
# merged; beginning, fetch, work, verify, push and end of its workflow are recorded by dbos too.
RECORDS = 16
INTO = ("--into", "main")
# `make queue-faults` kills at each of them.
STEP = int(os.environ.get("UNTILDONE_TEST_STEP", "4"))
KILLS = int(os.environ.get("UNTILDONE_TEST_QUEUE_KILLS", "4"))
SEED = int(os.environ.get("UNTILDONE_TEST_SEED", "17"))


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
    task = world.add("a", *INTO, rounds=2)

    world.work(kill_at=number)
    world.work(home="other")

    require_once(world, task, kills=1)


@pytest.mark.parametrize("seed", range(SEED, SEED + max(KILLS // 10, 1)))
def test_workers_killed_at_random_moments_lose_and_repeat_nothing(
    tmp_path: Path, postgres: Postgres, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311  no secret
    world = QueueWorld(tmp_path, database=postgres.url if seed % 2 else "")
    began = time.monotonic()
    tasks = [world.add("undisturbed", *INTO, rounds=2)]
    world.work()
    seconds = time.monotonic() - began
    kills = min(KILLS, 10)
    for number in range(kills):
        # One for each: a task on which two workers die in a row has to wait.
        tasks.append(world.add(f"file_{number}", *INTO, rounds=2))
        worker = world.start_worker("--once")
        with suppress(subprocess.TimeoutExpired):
            worker.communicate(timeout=chance.uniform(0, seconds))
        worker.kill()
        worker.communicate()
        world.work(home="other")

    require_once(world, *tasks, kills=kills)


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
    pause_outside_transactions(paused, world.database)

    world.work(home="other")
    paused.send_signal(signal.SIGCONT)
    output, _ = paused.communicate(timeout=60)

    assert paused.returncode == 75, output
    require_once(world, task, kills=1)


def pause_outside_transactions(worker: subprocess.Popen[str], file: str) -> None:
    """Stop the worker at a moment when it does not keep the file locked, which others wait for."""
    for _ in range(100):
        worker.send_signal(signal.SIGSTOP)
        with closing(sqlite3.connect(file, timeout=0.2)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                worker.send_signal(signal.SIGCONT)
                time.sleep(0.05)
            else:
                return
    pytest.fail("the worker keeps the file locked")


def test_a_clock_that_is_set_changes_nothing(tmp_path: Path) -> None:
    world = QueueWorld(tmp_path)
    tasks = [world.add(name, rounds=2, more=", slowly (1 s)") for name in "ab"]
    jumping = world.start_worker("--once", environ=preload_clock(tmp_path))
    other = world.start_worker("--once", home="other")
    world.wait_for_call(2)
    set_clock(tmp_path, hours=5)
    world.wait_for_call(3)
    set_clock(tmp_path, hours=-7)

    for worker in (jumping, other):
        output, errors = worker.communicate(timeout=100)
        assert (worker.returncode, errors) == (0, ""), output
        assert "worker-buried" not in output
    require_once(world, *tasks)
    steps = [step for task in tasks for step in world.answer("show", task)["steps"]]
    hours = {round(datetime.fromisoformat(step["at"]).timestamp() / 3_600) for step in steps}
    assert max(hours) - min(hours) >= 5


def test_workers_on_postgres_take_over_from_each_other(tmp_path: Path, postgres: Postgres) -> None:
    world = QueueWorld(tmp_path, database=postgres.url)
    tasks = [world.add(name, rounds=2) for name in ("a", "b")]

    world.work(kill_at=5)
    other = world.start_worker("--once", home="other")
    world.work(home="third")
    other.communicate(timeout=60)

    assert other.returncode == 0
    require_once(world, *tasks, kills=1)


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
