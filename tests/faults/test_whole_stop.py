"""A stop from event to answer in which one call of the system fails, or which is killed."""

import errno
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from hooks.world import HookWorld
from store.disk import mount
from store.faults import at_call
from untildone.core.contract import Check
from untildone.core.progress import Progress
from untildone.engine import stop
from untildone.engine.payload import Call
from untildone.engine.request import name_checks
from untildone.errors import UserError
from untildone.store.durable_files import DamagedFileError
from world import CHECK, SESSION

# `make faults` asks for every call and a hundred kills.
KILLS = int(os.environ.get("UNTILDONE_TEST_KILLS", "50")) // 10
STEP = int(os.environ.get("UNTILDONE_TEST_STEP", "9"))


class Stage(HookWorld):
    """A loop with a check and a recorded baseline, as it is before its first stop."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.start(baseline="red", promises=(), checks=name_checks((CHECK,)))
        shutil.copytree(self.state_folder, folder / "as it was", symlinks=True)

    def reset(self) -> None:
        shutil.rmtree(self.state_folder)
        shutil.rmtree(self.project)
        self.project.mkdir()
        shutil.copytree(self.project.parent / "as it was", self.state_folder, symlinks=True)


def fail() -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def failing(stage: Stage, *, done: bool) -> Iterator[tuple[Progress, str]]:
    """What each failing stop leaves, until one does not reach the failing call any more."""
    for number in count(1, STEP):
        stage.reset()
        if done:
            (stage.project / "done.txt").touch()
        with at_call(number, fail) as calls, suppress(OSError, DamagedFileError, UserError):
            stage.stop()
        yield stage.progress, stage.context.loops.explain_broken_seal(stage.loop)
        if len(calls) < number:
            return


# Where reading from a program that was just started fails, `subprocess` itself forgets it.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.timeout(1_200)
@pytest.mark.parametrize("done", [False, True], ids=["red", "green"])
def test_a_stop_that_fails_at_any_call_counts_once_or_not_at_all(
    tmp_path: Path, *, done: bool
) -> None:
    seen = set()
    for progress, broken in failing(Stage(tmp_path), done=done):
        assert broken == ""
        assert progress.round in (0, 1)
        seen.add((progress.outcome, progress.round))

    allowed = {(None, 0), (None, 1), ("unverified", 1)}
    assert seen - allowed == ({("done", 1)} if done else set())


@pytest.mark.timeout(1_200)
def test_a_stop_killed_at_any_moment_counts_once_or_not_at_all(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    chance = random.Random(11)  # noqa: S311  moments, not secrets
    for _ in range(KILLS):
        before = stage.progress
        running = subprocess.Popen(
            stage.command("Stop"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=stage.environment(),
            cwd=stage.project,
        )
        with suppress(subprocess.TimeoutExpired):
            running.communicate(stage.payload("Stop"), timeout=chance.uniform(0.02, 0.6))
        running.send_signal(signal.SIGKILL)
        running.communicate()
        now = stage.progress
        assert now.round in (before.round, before.round + 1)
        assert now.outcome in (None, "stagnated")
        assert stage.context.loops.explain_broken_seal(stage.loop) == ""
        if now.outcome:
            stage.reset()


@pytest.mark.parametrize("full", [True, False], ids=["full", "read-only"])
def test_a_state_that_cannot_be_written_is_reported_and_never_done(
    tmp_path: Path, *, full: bool
) -> None:
    home = tmp_path / "state"
    home.mkdir()
    with mount(home, options="size=128k,mode=700"):
        world = HookWorld(tmp_path)
        loop = world.start().contract.id
        spoil(home, full=full)
        said = world.payload("Stop", last_assistant_message="<promise>ALL DONE</promise>")
        answer = world.run_hook("Stop", said)
        mend(home, full=full)

        assert (answer.exit_code, answer.stderr) == (0, b"")
        assert answer.json["systemMessage"].startswith("untildone failed (")
        assert answer.json["systemMessage"].endswith(
            "the agent was not held. See `untildone doctor`"
        )
        assert world.context.loops.load(loop).progress.outcome is None
        assert world.context.loops.explain_broken_seal(loop) == ""


def spoil(home: Path, *, full: bool) -> None:
    if not full:
        subprocess.run(["mount", "-o", "remount,ro", str(home)], check=True)
        return
    with (home / "ballast").open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 512)


def mend(home: Path, *, full: bool) -> None:
    if full:
        (home / "ballast").unlink()
    else:
        subprocess.run(["mount", "-o", "remount,rw", str(home)], check=True)


def test_a_jump_of_the_clock_neither_ends_nor_extends_anything(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    year = 365 * 86_400
    for jump in (year, -year):
        call = Call("Stop", "claude", "settings", str(stage.state_folder))
        call.environ = {}
        call.received = time.time() + jump
        call.data = {"session_id": SESSION, "cwd": str(stage.project), "prompt_id": "p1"}
        stop.answer_stop(stage.context, call)

    assert (stage.progress.round, stage.progress.faults) == (2, 0)
    assert stage.progress.active_seconds < 600


def test_checks_that_outlast_the_deadline_hold_and_say_so(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    check = Check(name="check", command="sleep 300")
    loop = world.start(promises=(), checks=(check,)).contract.id
    call = Call("Stop", "claude", "settings", str(world.state_folder))
    call.environ = {}
    call.began -= 7_099
    call.data = {"session_id": SESSION, "cwd": str(world.project), "prompt_id": "p1"}

    answer = stop.answer_stop(world.context, call)

    assert "did not end within 118 minutes" in answer
    assert world.context.loops.load(loop).progress.outcome is None
