"""Tasks with `--into` are merged into their branch: verified together, once each, whatever dies."""

import json
import os
import signal
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from runs.queue.machine_faults import pause_outside_transactions
from runs.queue.world import Postgres, QueueWorld, find_postgres
from tools import missing

INTO = ("--into", "main")
# Those of a task with one round, and one more: its merge.
RECORDS = 15
# `make queue-faults` kills at more of them.
STEP = int(os.environ.get("UNTILDONE_TEST_STEP", "4"))


def show(world: QueueWorld, task: str) -> Any:  # noqa: ANN401  any JSON
    return world.answer("show", task)


def in_remote(world: QueueWorld, *words: str) -> str:
    return world.git("--git-dir", str(world.remote), *words)


def require_merged_once(world: QueueWorld, *tasks: str) -> None:
    """The branch has one merge of each task, and nothing else is left but branch and receipt."""
    trailers = in_remote(world, "log", "--first-parent", "--merges", "--format=%B", "main")
    merged = [line.split()[1] for line in trailers.splitlines() if "Untildone-Task:" in line]
    assert sorted(merged) == sorted(tasks)
    for task in tasks:
        shown = show(world, task)["task"]
        assert (shown["state"], shown["outcome"]) == ("done", "done")
        parents = in_remote(world, "rev-list", "--parents", "-1", shown["merge"]).split()
        assert parents[2] == shown["commit"]
    places = ("refs/heads/untildone", "refs/untildone/receipts")
    assert sorted(world.refs()) == sorted(f"{place}/{task}" for task in tasks for place in places)


def add_hook(world: QueueWorld, script: str) -> Path:
    """Run a script before a ref of the remote is moved: `$1` is its name."""
    hook = world.remote / "hooks" / "update"
    hook.write_text(f"#!/bin/sh\ncd {world.folder}\n{script}\n", encoding="utf-8")
    hook.chmod(0o755)
    return hook


def commit_by_hand(world: QueueWorld, name: str, text: str) -> str:
    """A commit on top of the first one, in the remote but on no branch."""
    (world.project / name).write_text(text, encoding="utf-8")
    world.git("add", "-A")
    world.git("commit", "-q", "-m", "By hand")
    world.git("push", "-q", str(world.remote), "HEAD:refs/heads/hand")
    in_remote(world, "update-ref", "-d", "refs/heads/hand")
    return world.git("rev-parse", "HEAD")


def test_done_tasks_are_merged_and_those_after_them_begin_there(tmp_path: Path) -> None:
    world = QueueWorld(tmp_path)
    first, second = world.add("a", *INTO), world.add("b", *INTO)
    third = world.add("c", *INTO, "--after", first, "--check", "grep end a")

    events = world.work("-j", "2")

    require_merged_once(world, first, second, third)
    assert in_remote(world, "ls-tree", "--name-only", "main").split() == ["README", "a", "b", "c"]
    names = [step["name"] for step in show(world, first)["steps"]]
    assert names[-3:] == ["push", "merging", "merged"]
    merged = [event["task"] for event in events if event["event"] == "task-merged"]
    assert sorted(merged) == sorted((first, second, third))
    title = in_remote(world, "log", "-1", "--format=%s", show(world, first)["task"]["merge"])
    assert title == f"Merge {first}: Write a in 1 rounds"


def test_the_tasks_of_a_plan_are_merged_in_their_order(tmp_path: Path) -> None:
    world = QueueWorld(tmp_path)
    tasks = {
        "B": {"title": "Write b", "depends_on": ["A"], "checks": ["grep end a", "grep end b"]},
        "A": {"title": "Write a", "acceptance_criteria": ["`grep end a` exits 0"]},
    }
    plan = tmp_path / "TASKS.json"
    plan.write_text(json.dumps({"version": "1.0", "tasks": tasks}), encoding="utf-8")
    given = ("--plan", str(plan), "--repo", str(world.remote), *INTO)
    assert world.run("queue", "add", *given, "--check", "x").returncode == 2
    ids = world.answer("add", *given)["ids"]

    world.work("-j", "2")

    require_merged_once(world, *ids)
    assert json.loads(plan.read_text(encoding="utf-8"))["tasks"] == tasks


def test_a_conflict_goes_back_with_both_sides_and_is_merged_then(tmp_path: Path) -> None:
    world = QueueWorld(tmp_path)
    text = ("--repo", str(world.remote), *INTO)
    tasks = [
        world.answer("add", f"Write list saying {word}", *text, "--check", f"grep {word} list")
        for word in ("mine", "yours")
    ]
    ids = [task["ids"][0] for task in tasks]

    events = world.work("-j", "2")

    (back,) = [event for event in events if event["event"] == "task-sent-back"]
    assert back["reason"] == "merging it into `main` conflicts in `list`"
    require_merged_once(world, *ids)
    assert sorted(in_remote(world, "show", "main:list").split()) == ["mine", "yours"]
    shown = show(world, back["task"])
    assert (shown["rounds"], shown["task"]["attempt"]) == (2, 2)


def test_what_turns_a_batch_red_is_found_and_ends_when_its_rounds_are_used_up(
    tmp_path: Path,
) -> None:
    world = QueueWorld(tmp_path)
    keep = ("--check", "! grep end b")
    first = world.add("a", *INTO, *keep)
    second = world.add("b", *INTO, "--rounds", "1")
    third = world.add("c", *INTO)
    closed = add_hook(world, "test $1 != refs/heads/main")
    world.work("-j", "3")
    closed.unlink()
    for task in (first, second, third):
        world.answer("retry", task)

    events = world.work()

    merged = [event["task"] for event in events if event["event"] == "task-merged"]
    assert merged == [first, third]
    shown = {name: show(world, name)["task"] for name in (first, second, third)}
    assert [task["state"] for task in shown.values()] == ["done", "ended", "done"]
    assert shown[second]["outcome"] == "out-of-rounds"
    assert shown[second]["reason"].startswith("merged into `main` its checks fail:\n- ")
    assert in_remote(world, "ls-tree", "--name-only", "main").split() == ["README", "a", "c"]


def test_a_refused_push_is_the_reason_and_a_retry_merges_without_the_agent(
    tmp_path: Path,
) -> None:
    world = QueueWorld(tmp_path)
    task = world.add("a", *INTO)
    hook = add_hook(world, 'if [ "$1" = refs/heads/main ]; then echo main is closed; exit 1; fi')
    world.work()

    shown = show(world, task)["task"]
    assert (shown["state"], shown["outcome"]) == ("ended", "blocked")
    assert "main is closed" in shown["reason"]
    assert shown["branch"] == f"untildone/{task}"
    hook.unlink()
    assert world.answer("retry", task)["note"] == "its branch is merged again"
    world.work()

    require_merged_once(world, task)
    assert len(world.calls()) == 1


def test_a_branch_that_somebody_moves_meanwhile_is_merged_again(tmp_path: Path) -> None:
    world = QueueWorld(tmp_path)
    task = world.add("a", *INTO)
    hand = commit_by_hand(world, "hand", "x\n")
    move = f"touch once; git --git-dir {world.remote} update-ref refs/heads/main {hand}; exit 1"
    add_hook(world, f"if [ $1 = refs/heads/main ] && [ ! -e once ]; then {move}; fi")

    world.work()

    require_merged_once(world, task)
    assert in_remote(world, "ls-tree", "--name-only", "main").split() == ["README", "a", "hand"]


def test_a_red_that_the_branch_has_itself_is_not_blamed_on_the_task(tmp_path: Path) -> None:
    world = QueueWorld(tmp_path)
    task = world.add("a", *INTO, "--check", "grep pay README")
    hand = commit_by_hand(world, "README", "broken\n")
    move = f"git --git-dir {world.remote} update-ref refs/heads/main {hand}"
    add_hook(world, f"case $1 in refs/heads/untildone/*) {move};; esac")

    world.work()

    shown = show(world, task)["task"]
    assert (shown["state"], shown["outcome"]) == ("ended", "blocked")
    assert shown["reason"].startswith("`main` itself is red:\n- ")
    assert "grep pay README" in shown["reason"]


@pytest.mark.parametrize("number", range(RECORDS, 1, -3 * STEP))
def test_a_worker_killed_at_any_record_merges_once(tmp_path: Path, number: int) -> None:
    world = QueueWorld(tmp_path)
    task = world.add("a", *INTO)

    world.work(kill_at=number)
    world.work(home="other")

    require_merged_once(world, task)
    assert len(world.calls()) <= 2


def test_workers_on_postgres_merge_what_a_killed_one_left(tmp_path: Path) -> None:
    if not find_postgres():
        missing("Postgres is not installed")
    with closing(Postgres()) as postgres:
        world = QueueWorld(tmp_path, database=postgres.url)
        tasks = [world.add(name, *INTO) for name in ("a", "b", "c")]

        world.work("-j", "2", kill_at=20)
        other = world.start_worker("--once", home="other")
        world.work(home="third")
        output, errors = other.communicate(timeout=100)

        assert other.returncode == 0, (output, errors)
        require_merged_once(world, *tasks)


def start_watched(world: QueueWorld) -> subprocess.Popen[str]:
    """Start a worker whose process a hook of the remote knows."""
    worker = world.start_worker()
    (world.folder / "pid").write_text(str(worker.pid), encoding="utf-8")
    return worker


def test_a_worker_killed_while_it_pushes_the_merge_merges_once(tmp_path: Path) -> None:
    world = QueueWorld(tmp_path)
    task = world.add("a", *INTO)
    hook = add_hook(world, "if [ $1 = refs/heads/main ]; then kill -KILL $(cat pid); fi")
    worker = start_watched(world)
    worker.communicate(timeout=100)
    assert worker.returncode == -signal.SIGKILL
    hook.unlink()

    world.work(home="other")

    require_merged_once(world, task)
    assert len(world.calls()) == 1


def test_a_worker_paused_while_it_pushes_the_merge_cannot_record_it(tmp_path: Path) -> None:
    world = QueueWorld(tmp_path)
    task = world.add("a", *INTO)
    wait = "touch pushed; while [ ! -e paused ]; do sleep 0.05; done"
    add_hook(world, f"if [ $1 = refs/heads/main ]; then {wait}; fi")
    worker = world.start_worker()
    world.wait_for_file("pushed")
    pause_outside_transactions(worker, world.database)
    (tmp_path / "paused").touch()

    world.work(home="other")
    worker.send_signal(signal.SIGCONT)
    output, _ = worker.communicate(timeout=60)

    assert worker.returncode == 75, output
    require_merged_once(world, task)
