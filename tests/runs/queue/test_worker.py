"""`untildone worker` on real repositories, around a client that plays a script."""

import json
import signal
import time
from pathlib import Path
from typing import Any

from runs.queue.world import PROGRAM, QueueWorld, require_once
from untildone.process.runner import run


def show(world: QueueWorld, task: str) -> Any:  # noqa: ANN401  any JSON
    return world.answer("show", task)


def test_a_task_is_done_verified_and_pushed_with_its_receipt(tmp_path: Path) -> None:
    world = QueueWorld(tmp_path)
    first = world.add("a", rounds=2)
    second = world.add("b", "--after", first)

    events = world.work("-j", "2")

    taken = [event["task"] for event in events if event["event"] == "task-taken"]
    assert taken == [first, second]
    require_once(world, first, second)
    shown = show(world, first)
    names = [step["name"] for step in shown["steps"]]
    work = ["round 1", "round 2", "commit", "work"]
    assert names == ["taken", "fetch", *work, "verify", "push", "done"]
    assert (shown["task"]["outcome"], shown["rounds"]) == ("done", 2)
    # The last round is stored by the commit alone.
    kept = {ref.rpartition("-")[2] for ref in world.pushes(f"refs/untildone/work/{first}")}
    assert kept == {"1", "end"}
    receipt = f"refs/untildone/receipts/{first}"
    stored = world.git("--git-dir", str(world.remote), "show", f"{receipt}:receipt.md")
    assert stored.split() == shown["receipt"].split()
    branch = f"untildone/{first}"
    assert world.git("--git-dir", str(world.remote), "show", f"{branch}:a") == "line\nend"
    message = world.git("--git-dir", str(world.remote), "log", "-1", "--format=%B", branch)
    assert message == f"Write a in 2 rounds\n\nUntildone-Task: {first}"
    left = [path.name for path in (tmp_path / "state-worktrees/queue/workers").iterdir()]
    assert left == []


def test_a_task_that_ends_without_being_done_is_retried_from_its_last_round(
    tmp_path: Path,
) -> None:
    world = QueueWorld(tmp_path)
    task = world.add("a", "--rounds", "1", rounds=2)
    broken = world.answer("add", "Write b", "--repo", str(tmp_path / "origin.git"), "--base", "x")
    world.work()

    assert show(world, task)["task"]["outcome"] == "out-of-rounds"
    assert "git fetch" in show(world, broken["ids"][0])["task"]["reason"]
    world.answer("retry", task)
    world.work(home="other")

    assert show(world, task)["task"]["state"] == "done"
    assert world.calls() == ["a 1 False", "a 2 True"]


def test_a_task_is_not_pushed_if_its_checks_fail_on_what_was_committed(tmp_path: Path) -> None:
    world = QueueWorld(tmp_path)
    # The commit of the finished work makes the check red.
    hook = world.remote / "hooks" / "update"
    hook.write_text(f'#!/bin/sh\ncase "$1" in *-end) touch {tmp_path}/red;; esac\n', "utf-8")
    hook.chmod(0o755)
    text = ("Write a", "--repo", str(world.remote))
    task = world.answer("add", *text, "--check", f"grep end a && test ! -e {tmp_path}/red")["ids"][
        0
    ]
    world.work()

    shown = show(world, task)["task"]
    assert (shown["state"], shown["outcome"]) == ("ended", "unverified")
    assert shown["reason"].startswith("the checks fail on what was committed:\n- check")
    assert world.pushes("refs/heads/") == []


def test_a_running_task_is_cancelled(tmp_path: Path) -> None:
    world = QueueWorld(tmp_path)
    task = world.add("a", more=", slowly (60 s)")
    worker = world.start_worker("--once")
    world.wait_for_call()
    world.answer("cancel", task)
    worker.communicate(timeout=60)

    assert worker.returncode == 0
    assert show(world, task)["task"]["state"] == "cancelled"
    assert world.pushes("refs/heads/") == []


def test_the_first_interrupt_drains_the_second_stops(tmp_path: Path) -> None:
    world = QueueWorld(tmp_path)
    first = world.add("a", more=", slowly (2 s)")
    second = world.add("b", more=", slowly (60 s)")
    drained = world.start_worker()
    world.wait_for_call()
    drained.send_signal(signal.SIGINT)
    output, _ = drained.communicate(timeout=60)
    assert drained.returncode == 0
    assert json.loads(output.splitlines()[-1])["reason"] == "drained"
    assert [show(world, task)["task"]["state"] for task in (first, second)] == ["done", "queued"]

    stopped = world.start_worker()
    world.wait_for_call(2)
    stopped.send_signal(signal.SIGINT)
    time.sleep(1)
    stopped.send_signal(signal.SIGINT)
    stopped.communicate(timeout=60)
    assert stopped.returncode == 130
    # Nobody has to wait for the end of its lease.
    states = [worker["state"] for worker in world.answer("list")["workers"]]
    assert states == []


def test_a_worker_does_only_what_it_may_and_can(tmp_path: Path) -> None:
    world = QueueWorld(tmp_path)
    for options in (("--labels", "gpu"), ("--agent", "codex")):
        world.add("a", *options)
    world.add("b")

    world.work("--allow-repo", "/elsewhere/*")
    assert world.calls() == []
    world.work("--labels", "gpu,linux")

    states = sorted(task["state"] for task in world.answer("list", "--all")["tasks"])
    assert states == ["done", "done", "queued"]


def test_the_demo_ends_well(tmp_path: Path) -> None:
    environ = {**QueueWorld(tmp_path).environ(), "UNTILDONE_DATABASE": ""}
    ended = run([str(PROGRAM), "queue", "demo"], cwd=tmp_path, timeout=110, env=environ)

    assert ended.exit_code == 0, ended.text
    assert "kills worker 1" in ended.text
    assert "where the other one left it" in ended.text
    assert "ten tasks, ten merges, ten receipts" in ended.text
