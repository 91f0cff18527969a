"""A plan run that is killed again and again ends as if nobody had touched it."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from runs.plan.world import PlanWorld, simple
from store.samples import explain_broken_chain

COUNTS = {"A": 1, "B": 2, "C": 1}
KILLER = Path(__file__).with_name("killed.py")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="NOT TESTED, needs Linux")


def outcome(world: PlanWorld, ended: dict[str, Any]) -> tuple[object, ...]:
    calls = {task["id"]: task["calls"] for task in ended["tasks"]}
    rounds = {task["id"]: task["rounds"] for task in ended["tasks"]}
    return ended["outcome"], calls, rounds, len(world.git("worktree", "list").splitlines())


def run_and_kill(world: PlanWorld, when: str, number: int, *options: str) -> int:
    command = [sys.executable, str(KILLER), when, str(number), *world.command(*options)[1:]]
    ran = subprocess.run(
        command, cwd=world.project, env=world.environ, capture_output=True, check=False
    )
    return ran.returncode


def run_undisturbed(folder: Path) -> PlanWorld:
    folder.mkdir()
    world = simple(folder)
    world.written()
    assert world.run().returncode == 0
    return world


def measure_journals(world: PlanWorld) -> int:
    """How much is in the journals, but for those of loops that were not made yet."""
    plans = (world.folder / "state").glob("plans/*/journal.jsonl")
    loops = (world.folder / "state").glob("loops/[!.]*/journal.jsonl")
    return sum(path.read_bytes().count(b"\n") for path in (*plans, *loops))


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("when", "first"), [("after", 1), ("before", 2)])
def test_killed_at_every_journal_write_it_ends_the_same(
    tmp_path: Path, when: str, first: int
) -> None:
    """Each run makes one write more than the one before it, two where one leads nowhere."""
    other = run_undisturbed(tmp_path / "undisturbed")
    world = simple(tmp_path)
    world.written()
    kills, number, known = 0, first, 0
    while run_and_kill(world, when, number) == -signal.SIGKILL:
        kills += 1
        number = first if measure_journals(world) > known else number + 1
        known = measure_journals(world)

    assert kills > 20
    ended = world.ended()
    assert world.tree() == other.tree()
    assert outcome(world, ended) == ("done", COUNTS, COUNTS, 1)


@pytest.mark.timeout(600)
def test_killed_at_twenty_random_moments_it_ends_the_same(tmp_path: Path) -> None:
    other = run_undisturbed(tmp_path / "undisturbed")
    world = simple(tmp_path)
    world.written()
    chance = random.Random(11)  # noqa: S311  moments, not secrets
    for _ in range(20):
        process = subprocess.Popen(
            world.command("-j", "2"),
            cwd=world.project,
            env=world.environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(chance.uniform(0.3, 2.5))
        process.kill()
        process.wait()

    ended = world.ended("-j", "2")
    assert world.tree() == other.tree()
    assert outcome(world, ended) == ("done", COUNTS, COUNTS, 1)
    (journal,) = (tmp_path / "state" / "plans").glob("*/journal.jsonl")
    assert explain_broken_chain(journal) == ""
