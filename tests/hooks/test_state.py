"""Damaged state and many stops at once: never `done`, never torn, each stop counted once."""

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hooks.world import HookWorld
from untildone.core.contract import Bounds
from untildone.core.progress import Progress


def run_stop(world: HookWorld, message: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        world.command("Stop"),
        input=world.payload("Stop", last_assistant_message=message),
        env=world.environment(),
        cwd=world.project,
        capture_output=True,
        timeout=100,
        check=False,
    )


def test_a_hundred_stops_at_once_are_each_counted_once(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    loop = world.start(bounds=Bounds(rounds=200)).contract.id

    with ThreadPoolExecutor(max_workers=8) as pool:
        done = list(pool.map(lambda number: run_stop(world, f"stop {number}"), range(100)))

    assert {(each.returncode, each.stderr) for each in done} == {(0, b"")}
    loops = world.context.loops
    assert loops.load(loop).progress.round == 100
    assert [judged.number for judged in loops.read_rounds(loop)] == list(range(1, 101))
    assert {judged.message for judged in loops.read_rounds(loop)} == {
        f"stop {n}" for n in range(100)
    }
    assert loops.explain_broken_seal(loop) == ""


def damage_state(world: HookWorld, folder: Path, loop: str, name: str, keep: int) -> dict[str, Any]:
    """A copy of the state in which one file is cut short, after one more stop."""
    copy = HookWorld(folder)
    shutil.copytree(world.state_folder, copy.state_folder)
    file = copy.state_folder / "loops" / loop / name
    file.write_bytes(file.read_bytes()[:keep])
    done = run_stop(copy, "Done.")
    progress = copy.context.loops.load(loop).progress
    shutil.rmtree(folder)
    return {"exit": done.returncode, "stderr": done.stderr, "progress": progress}


def lengths(world: HookWorld, loop: str, name: str, step: int) -> list[int]:
    return list(range(0, (world.state_folder / "loops" / loop / name).stat().st_size, step))


@pytest.mark.parametrize(
    ("name", "step"), [("state.json", 7), ("journal.jsonl", 131), ("contract.json", 37)]
)
def test_a_file_cut_short_never_ends_the_loop(tmp_path: Path, name: str, step: int) -> None:
    world = HookWorld(tmp_path / "whole")
    loop = world.start().contract.id
    for _ in range(2):
        assert run_stop(world, "Done.").returncode == 0
    known = world.context.loops.load(loop).progress

    def one(keep: int) -> dict[str, Any]:
        return damage_state(world, tmp_path / f"cut-{keep}", loop, name, keep)

    with ThreadPoolExecutor(max_workers=4) as pool:
        for found in pool.map(one, lengths(world, loop, name, step)):
            assert (found["exit"], found["stderr"]) == (0, b"")
            assert_not_torn(known, found["progress"])


def assert_not_torn(known: Progress, found: Progress) -> None:
    assert found.outcome in (None, "tampered")
    assert known.round - 1 <= found.round <= known.round + 1
    assert found.unmet == known.unmet


def test_an_index_that_names_a_loop_that_is_gone_lets_go_and_says_so(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    loop = world.start().contract.id
    shutil.rmtree(world.state_folder / "loops" / loop)

    answer = world.run_hook("Stop")

    assert answer.exit_code == 0
    message = answer.json["systemMessage"]
    assert message.startswith("untildone failed (")
    assert message.endswith("the agent was not held. See `untildone doctor`")
    assert world.session.read("unjudged") != ""
