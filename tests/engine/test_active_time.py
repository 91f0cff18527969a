"""Which time counts as the agent's active time, and which stops are no round."""

import json
import os
import time

import pytest
from msgspec.structs import replace

from untildone.core.progress import STOPPED_CLOCK
from untildone.engine.active_time import count_time, read_clock
from world import World

FAILED = {"type": "assistant", "error": "rate_limit", "isApiErrorMessage": True}


@pytest.fixture
def world(world: World) -> World:
    # A client that does not say its version is answered by `decision`.
    world.environ = {}
    world.start(checks=(), promises=("ALL PAGES WRITTEN",))
    return world


def test_a_stop_because_the_model_could_not_be_asked_is_no_round(world: World) -> None:
    transcript = world.folder / "talk.jsonl"
    transcript.write_text(json.dumps(FAILED), encoding="utf-8")

    failed = [world.stop(transcript_path=str(transcript)) for _ in range(2)]
    waiting = world.progress
    held = world.stop()

    notice = failed[0]["systemMessage"]
    assert "released, not judged: the model did not answer" in notice
    assert (failed[1], waiting.status, waiting.round, waiting.clock) == (
        failed[0],
        "active",
        0,
        STOPPED_CLOCK,
    )
    assert (held["decision"], world.progress.round) == ("block", 1)


def test_while_the_agent_rests_no_time_passes(world: World) -> None:
    boot, now = read_clock()
    rested = replace(world.progress, clock=STOPPED_CLOCK)
    worked = replace(world.progress, clock=(boot, now - 600))
    began_anew = replace(world.progress, clock=("another boot", now - 600))

    times = [
        count_time(each, world.session).active_seconds for each in (rested, worked, began_anew)
    ]

    assert [round(time / 60) for time in times] == [0, 10, 0]


def test_after_a_rest_time_is_counted_from_the_prompt(world: World) -> None:
    world.stop()
    world.prompt("and now?")
    reported = world.session.read_json("prompt.json")
    boot, at = read_clock()
    world.session.write_json("prompt.json", {**reported, "clock": [boot, at - 120]})

    counted = count_time(
        replace(world.progress, clock=STOPPED_CLOCK, active_seconds=60), world.session
    )

    assert isinstance(reported["clock"], list)
    assert reported["clock"][0] == boot
    assert round(counted.active_seconds / 60) == 3


def test_an_interrupted_turn_is_counted_up_to_its_last_tool_call(world: World) -> None:
    boot, now = read_clock()
    record = world.record
    began = replace(record.progress, clock=(boot, now - 3_600))
    world.context.loops.save(record, began, kind="note", data={}, at="")
    world.session.write("post", "")
    ten_minutes_later = time.time() - 3_000
    os.utime(world.session.get_path("post"), (ten_minutes_later, ten_minutes_later))

    # An interruption fires no event: the next prompt is the first that is heard of it.
    for _ in range(2):
        world.prompt("go on")

    assert round(count_time(world.progress, world.session).active_seconds / 60) == 10
