"""Real workers at a usage limit, at a deadline and without their repository."""

from pathlib import Path
from typing import Any

import sqlalchemy as sa

from runs.queue.world import QueueWorld, require_once
from untildone.runs.queue.database import open_database
from untildone.runs.queue.tables import TASKS


def show(world: QueueWorld, task: str) -> Any:  # noqa: ANN401  any JSON
    return world.answer("show", task)["task"]


def pass_time(world: QueueWorld, column: sa.Column[int]) -> None:
    """Move a time of the tasks into the past."""
    engine = open_database(f"sqlite:///{world.database}")
    with engine.begin() as connection:
        connection.execute(sa.update(TASKS).where(column > 0).values({column: 1}))
    engine.dispose()


def test_at_a_usage_limit_the_account_sleeps_and_another_goes_on(tmp_path: Path) -> None:
    world = QueueWorld(tmp_path)
    task = world.add("a", "--retries", "0", rounds=2)
    (tmp_path / "limit").write_text("a 2", encoding="utf-8")

    limited = world.work("--no-wait", "--account", "one")
    assert "task-returned" in [event["event"] for event in limited]
    assert limited[-1]["reason"] == "its accounts are at their usage limits"
    asleep = world.work("--no-wait", "--account", "one")
    assert "task-taken" not in [event["event"] for event in asleep]
    listed = world.answer("list")
    assert [account["name"] for account in listed["accounts"]] == ["claude:one"]
    world.work("--account", "two", home="other")

    shown = show(world, task)
    assert (shown["state"], shown["attempt"], shown["faults"]) == ("done", 2, 0)
    # The second attempt fetches and works again.
    require_once(world, task, kills=2)
    assert world.calls()[-1] == "a 3 True"
    # What the account had left unjudged is in the result.
    assert world.git("--git-dir", str(world.remote), "show", f"untildone/{task}:half")


def test_a_running_task_ends_at_its_deadline_with_its_work_kept(tmp_path: Path) -> None:
    world = QueueWorld(tmp_path)
    task = world.add("a", "--deadline", "10m", more=", slowly (100 s)")
    worker = world.start_worker("--once")
    world.wait_for_call()
    pass_time(world, TASKS.c.deadline_ms)
    worker.communicate(timeout=60)

    assert worker.returncode == 0
    shown = show(world, task)
    assert (shown["state"], shown["outcome"]) == ("ended", "out-of-time")
    assert shown["reason"].startswith("its deadline ")
    (kept,) = world.refs()
    assert world.git("--git-dir", str(world.remote), "show", f"{kept}:a") == "end"


def test_a_failed_transfer_is_tried_again_later(tmp_path: Path) -> None:
    world = QueueWorld(tmp_path)
    task = world.add("a")
    away = world.remote.rename(tmp_path / "away")
    world.work()
    shown = show(world, task)
    assert (shown["state"], shown["faults"]) == ("queued", 1)
    assert "`git fetch` failed" in shown["reason"]
    assert shown["waits"].startswith("retry 1 of 2 at ")

    away.rename(world.remote)
    pass_time(world, TASKS.c.not_before_ms)
    world.work(home="other")
    assert show(world, task)["state"] == "done"
    # It was fetched twice.
    require_once(world, task, kills=1)


def test_two_workers_keep_to_one_task_at_once(tmp_path: Path) -> None:
    world = QueueWorld(tmp_path)
    tasks = [world.add(name, more=", slowly (1 s)") for name in ("a", "b")]
    world.answer("limit", "--repo", str(world.remote), "--parallel", "1", "--budget", "0.3/day")
    workers = [world.start_worker("--once", "--account", name, home=name) for name in ("x", "y")]
    for worker in workers:
        assert worker.communicate(timeout=100)[1] == ""
    # Each task costs 0.25 USD: after the second there is no money for a third.
    third = world.add("c")
    world.work()

    taken, done = ([find_step(world, task, name) for task in tasks] for name in ("taken", "done"))
    assert max(taken) >= min(done)
    assert show(world, third)["waits"].endswith("used up, 0.50 of 0.30 USD today")
    require_once(world, *tasks)


def find_step(world: QueueWorld, task: str, name: str) -> str:
    steps = world.answer("show", task)["steps"]
    (found,) = (step["at"] for step in steps if step["name"] == name)
    return str(found)
