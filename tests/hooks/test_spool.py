"""Marks and spool where no shell does it: the same files as the installed line writes."""

import json
from pathlib import Path

import pytest

from hooks.world import HookWorld
from untildone.store.sessions import Session
from world import SESSION

CALL = {"tool_name": "Bash", "tool_input": {"command": "true"}}


def session(world: HookWorld) -> Session:
    return Session(str(world.state_folder), "claude", SESSION)


@pytest.mark.parametrize("event", ["PostToolUse", "PostToolUseFailure"])
def test_a_call_that_ended_is_spooled(tmp_path: Path, event: str) -> None:
    world = HookWorld(tmp_path)
    world.start()
    found = session(world)
    found.append("pre", "\n")
    before = found.has_call_in_flight()

    answer = world.run_hook(event, world.payload(event, **CALL))

    ((spooled,),) = found.read_calls().values()
    assert (answer.exit_code, answer.stdout) == (0, b"")
    assert (before, found.has_call_in_flight()) == (True, False)
    assert spooled == json.loads(world.payload(event, **CALL))


def test_a_batch_that_ended_leaves_no_call_in_flight(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    world.start()
    found = session(world)
    found.append("pre", "\n\n")

    world.run_hook("PostToolBatch")

    assert not found.has_call_in_flight()


def test_a_compaction_is_marked(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    world.start()

    world.run_hook("PreCompact")

    assert session(world).has("compacting")


@pytest.mark.parametrize("event", ["PostToolUse", "PostToolBatch", "PreCompact"])
def test_without_a_loop_nothing_is_written(tmp_path: Path, event: str) -> None:
    world = HookWorld(tmp_path)

    answer = world.run_hook(event)

    assert (answer.exit_code, answer.stdout, world.state_folder.exists()) == (0, b"", False)
