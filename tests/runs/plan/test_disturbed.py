"""A plan run that something stands in the way of: named, nothing lost, gone on with later."""

import json
import re
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from runs.plan.test_running import WORK, checkout, steps
from runs.plan.world import PlanWorld, has, task, writes
from store.disk import mount
from untildone.app import open_context
from untildone.runs.plan.workspace import find_state_folder
from untildone.store.lock import hold_lock


def test_a_worktree_that_somebody_threw_away_is_made_again(tmp_path: Path) -> None:
    world = PlanWorld(tmp_path)
    world.add("A", writes(a="half\n"), writes(a="one\n"), **task(checks=(has("a", "one"),)))
    world.written()
    world.run("--rounds", "1")
    shutil.rmtree(tmp_path / "state-worktrees")

    assert (world.ended("--rounds", "1")["outcome"], world.shown("a")) == ("done", "one")


def test_a_plan_that_is_committed_between_two_runs_is_gone_on_with(tmp_path: Path) -> None:
    """The work branch began without it."""
    world = PlanWorld(tmp_path)
    world.add("A", writes(a="one\n"), **task(checks=(has("a", "one"),)))
    world.add("B", writes(b="half\n"), writes(b="one\n"), **task(checks=(has("b", "one"),)))
    world.written(commit=False)
    world.git("add", "README")
    world.git("commit", "-qm", "Begin")
    world.run("--rounds", "1")
    world.git("add", "-A")
    world.git("commit", "-qm", "Plan")

    ended = world.ended("--rounds", "1")

    assert steps(ended) == {"A": ("merged", "done", 1), "B": ("merged", "done", 2)}
    plan = json.loads(world.plan.read_text(encoding="utf-8"))
    assert {value["status"] for value in plan["tasks"].values()} == {"completed"}


def test_a_task_that_somebody_has_taken_is_left_to_them(tmp_path: Path) -> None:
    world = PlanWorld(tmp_path)
    world.add("A", writes(a="one\n"), **{**task(), "status": "in_progress"})
    world.add("B", writes(b="one\n"), **task(checks=(has("b", "one"),)))
    world.written()

    ended = world.ended()

    assert (ended["outcome"], ended["reason"]) == (
        "blocked",
        "A: it is in progress elsewhere; if nobody works on it,"
        " `untildone plan set-status A not_started`",
    )
    assert steps(ended) == {"A": ("ended", "blocked", 0), "B": ("merged", "done", 1)}


def test_trouble_of_the_client_begins_no_other_task(tmp_path: Path) -> None:
    world = PlanWorld(tmp_path)
    for name in "AB":
        refused = {"status": 401, "says": "Invalid API key"}
        world.add(name, refused, **task(checks=(has(name, "one"),)))
    world.written()

    ended = world.ended()

    assert (ended["outcome"], ended["exit_code"]) == ("blocked", 14)
    assert ended["reason"].startswith("A: authentication: Invalid API key; sign in: run `claude`")
    assert [each["fault"] for each in ended["tasks"]] == ["authentication", None]
    assert world.calls() == ["A 0"]


@pytest.mark.skipif(sys.platform == "win32", reason="NOT TESTED, needs signals")
def test_an_agent_that_dies_at_work_is_asked_again(tmp_path: Path) -> None:
    world = PlanWorld(tmp_path)
    dies = {**writes(a="one\n"), "dies": signal.SIGKILL}
    world.add("A", dies, **task(checks=(has("a", "one"),)))
    world.written()

    events = world.events()

    waits = [event["fault"] for event in events if event["event"] == "waiting"]
    assert (waits, steps(events[-1])) == (["crashed"], {"A": ("merged", "done", 1)})
    assert world.shown("a") == "one"


def test_a_second_run_of_the_plan_is_reported(tmp_path: Path) -> None:
    world = PlanWorld(tmp_path)
    world.written()
    world.run()
    (lock,) = (tmp_path / "state" / "plans").glob("*/run.lock")
    with hold_lock(lock, timeout=0):
        ran = world.run()

    assert (ran.returncode, ran.stderr) == (
        2,
        f"error: `{world.plan}` is running already\n\nhint: wait for that run, or end it\n",
    )


def make_branch(world: PlanWorld) -> str:
    world.git("branch", WORK)
    return f"there is a branch `{WORK}` that no run of this plan made"


def make_task_branch(world: PlanWorld) -> str:
    world.git("branch", "untildone-task/pay/A")
    return "task `A` has a branch already: `untildone-task/pay/A`"


def make_worktree(world: PlanWorld) -> str:
    """Somebody's own, where that of the task is to be."""
    folder = find_state_folder(open_context(world.environ), world.plan)
    path = world.folder / "state-worktrees" / folder.name / "A"
    world.git("worktree", "add", "-q", "--detach", str(path))
    return f"task `A` has a worktree already: `{path}`"


def check_out(world: PlanWorld) -> str:
    world.git("switch", "-qc", WORK)
    return f"the work branch `{WORK}` is checked out in `{world.project}`"


def cyclic(world: PlanWorld) -> str:
    world.tasks["A"]["depends_on"] = ["A"]
    world.written(commit=False)
    return f"`{world.plan}` has a mistake"


@pytest.mark.parametrize("spoil", [make_branch, make_task_branch, make_worktree, check_out, cyclic])
def test_what_is_in_the_way_is_named_and_kept(tmp_path: Path, spoil: Any) -> None:  # noqa: ANN401
    world = PlanWorld(tmp_path)
    world.add("A", writes(a="one\n"), **task(checks=(has("a", "one"),)))
    world.written()
    reason = spoil(world)
    before = checkout(world)

    ran = world.run()

    assert ran.returncode == 2
    assert f"error: {reason}" in ran.stderr
    assert (checkout(world), world.calls()) == (before, [])


def test_a_repository_without_a_commit_is_named(tmp_path: Path) -> None:
    world = PlanWorld(tmp_path)
    world.add("A", writes(a="one\n"), **task())
    world.written(commit=False)

    assert "has no commit yet" in world.run().stderr


def test_a_branch_that_lost_a_merge_is_named_and_a_deleted_one_begins_anew(tmp_path: Path) -> None:
    world = PlanWorld(tmp_path)
    world.add("A", writes(a="one\n"), **task(checks=(has("a", "one"),)))
    world.written()
    world.run()
    world.git("branch", "-qf", WORK, "main")

    assert f"the branch `{WORK}` has lost the merge of `A`" in world.run().stderr

    world.git("branch", "-qD", WORK)
    assert (world.ended()["outcome"], world.calls()) == ("done", ["A 0", "A 0"])


def test_a_merge_that_git_cannot_write_is_named_and_made_later(tmp_path: Path) -> None:
    world = PlanWorld(tmp_path)
    lock = world.project / ".git" / "refs" / "heads" / f"{WORK}.lock"
    blocks = {"writes": {"a": "one\n"}, "runs": f"touch {lock}"}
    world.add("A", blocks, **task(checks=(has("a", "one"),)))
    world.written()

    ran = world.run()

    assert ran.returncode == 2
    assert "error: `git update-ref` failed in" in ran.stderr
    assert world.tree() == world.tree("main")
    lock.unlink()
    assert (world.ended()["outcome"], world.calls()) == ("done", ["A 0"])


@pytest.mark.skipif(sys.platform != "linux", reason="NOT TESTED, needs Linux: a disk that is full")
@pytest.mark.parametrize("when", ["before it is kept", "before it is merged"])
def test_a_disk_that_is_full_loses_nothing(tmp_path: Path, when: str) -> None:
    (tmp_path / "project").mkdir()
    with mount(tmp_path / "project", options="size=2m"):
        world = PlanWorld(tmp_path)
        filler = world.project / ".git" / "filler"
        fills = f"head -c 4000000 /dev/zero > {filler} 2> /dev/null || true"
        once = f"test -e {tmp_path}/once || ( touch {tmp_path}/once; {fills} )"
        later = f'test "$(git rev-parse HEAD)" = "$(git rev-parse main)" || {once}'
        step = {**writes(a="one\n"), **({"runs": fills} if "kept" in when else {})}
        checks = (has("a", "one"), *(() if "kept" in when else (later,)))
        world.add("A", step, **task(checks=checks))
        world.written()

        ran = world.run()

        assert (ran.returncode, world.tree()) == (2, world.tree("main")), ran.stderr
        assert re.search(r"error: `git [\w-]+` failed in .*\n\nhint: fix that", ran.stderr)
        filler.unlink()
        assert (world.ended()["outcome"], world.calls()) == ("done", ["A 0"])
        assert world.shown("a") == "one"
