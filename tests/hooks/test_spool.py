"""Marks and spool where no shell does it: the same files as the installed line writes."""

import json
from pathlib import Path

import pytest

from hooks.calls import SESSION, Place
from untildone.store.sessions import Session

CALL = {"tool_name": "Bash", "tool_input": {"command": "true"}}


def session(place: Place) -> Session:
    return Session(str(place.home), "claude", SESSION)


@pytest.mark.parametrize("event", ["PostToolUse", "PostToolUseFailure"])
def test_a_call_that_ended_is_spooled(tmp_path: Path, event: str) -> None:
    place = Place(tmp_path)
    place.start()
    found = session(place)
    found.append("pre", "\n")
    before = found.has_call_in_flight()

    answer = place.call(event, place.payload(event, **CALL))

    ((spooled,),) = found.read_calls().values()
    assert (answer.exit_code, answer.stdout) == (0, b"")
    assert (before, found.has_call_in_flight()) == (True, False)
    assert spooled == json.loads(place.payload(event, **CALL))


def test_a_batch_that_ended_leaves_no_call_in_flight(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.start()
    found = session(place)
    found.append("pre", "\n\n")

    place.call("PostToolBatch")

    assert not found.has_call_in_flight()


def test_a_compaction_is_marked(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.start()

    place.call("PreCompact")

    assert session(place).has("compacting")


@pytest.mark.parametrize("event", ["PostToolUse", "PostToolBatch", "PreCompact"])
def test_without_a_loop_nothing_is_written(tmp_path: Path, event: str) -> None:
    place = Place(tmp_path)

    answer = place.call(event)

    assert (answer.exit_code, answer.stdout, place.home.exists()) == (0, b"", False)
