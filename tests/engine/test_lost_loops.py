"""A loop that was taken out of the index is tampered with, never absent."""

import json
import os
import shutil
from pathlib import Path

import pytest

from hooks.calls import SESSION, Place
from untildone.engine.agent_verbs import AgentVerb
from untildone.engine.lost_loops import describe_lost_loop, pause_unindexed_loop
from untildone.engine.verbs import cancel, pause, record_agent_verb, resume
from untildone.errors import UserError
from untildone.store.sessions import Session


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    note = AgentVerb(verb="note", text="it has begun")
    record_agent_verb(made.context, made.start().contract.id, note)
    return made


def index(place: Place) -> Session:
    return place.context.session(SESSION)


def loop_of(place: Place) -> str:
    return index(place).get_loop_id()


def outcome(place: Place, loop: str) -> str | None:
    return place.context.loops.load(loop).progress.outcome


def clear(place: Place) -> None:
    """Both places."""
    for folder in ("sessions", "held"):
        shutil.rmtree(place.home / folder)


@pytest.mark.parametrize("folder", [False, True], ids=["the file", "the folder"])
def test_a_stop_of_a_loop_whose_index_is_gone_pauses_it(place: Place, *, folder: bool) -> None:
    loop, session = loop_of(place), index(place)
    if folder:
        shutil.rmtree(session.folder)
    else:
        session.remove("active")

    place.call("Stop")

    assert outcome(place, loop) == "tampered"
    resume(place.context, loop)
    assert (session.is_active(), session.explain_index_damage(), outcome(place, loop)) == (
        True,
        "",
        None,
    )


@pytest.mark.parametrize(
    ("event", "more"),
    [
        ("SessionStart", {"source": "resume"}),
        ("SessionStart", {"source": "compact"}),
        ("UserPromptSubmit", {"prompt": "fix all of it"}),
    ],
)
def test_the_next_event_finds_what_both_places_lost(
    place: Place, event: str, more: dict[str, str]
) -> None:
    loop, missing = loop_of(place), index(place).path("active")
    clear(place)

    answer = place.call(event, place.payload(event, **more))

    assert answer.json["systemMessage"] == (
        f"untildone: loop {loop} is paused (tampered): `{missing}` is missing."
        f" To continue: `untildone continue {loop}`"
    )
    assert outcome(place, loop) == "tampered"
    assert (index(place).get_loop_id(), index(place).is_active()) == (loop, False)


def test_no_second_loop_is_started_over_it(place: Place) -> None:
    loop = loop_of(place)
    clear(place)

    with pytest.raises(UserError, match=rf"loop {loop} is paused \(tampered\)"):
        place.start()


def test_a_loop_that_is_seen_paused_over_or_begun_just_now_is_left_alone(place: Place) -> None:
    here, loop = place.context, loop_of(place)
    assert pause_unindexed_loop(here, here.loops.load(loop)).progress.outcome is None
    pause(here, loop)
    clear(place)
    assert pause_unindexed_loop(here, here.loops.load(loop)).progress.outcome == "paused"
    cancel(here, loop)
    assert pause_unindexed_loop(here, here.loops.load(loop)).progress.outcome == "cancelled"
    begun = place.start()
    clear(place)
    assert pause_unindexed_loop(here, begun) == begun


def test_a_loop_that_is_driven_by_us_needs_no_index(place: Place) -> None:
    here, loop = place.context, loop_of(place)
    clear(place)
    index(place).write("driver", str(os.getpid()))

    assert pause_unindexed_loop(here, here.loops.load(loop)).progress.outcome is None


def test_a_loop_whose_folder_is_gone_is_told_and_the_person_goes_on(place: Place) -> None:
    loop = loop_of(place)
    folder = place.home / "loops" / loop
    shutil.rmtree(folder)

    answer = place.call("UserPromptSubmit", place.payload("UserPromptSubmit", prompt="hello"))

    told = f"untildone: `{folder}` is missing: loop {loop} is lost and nobody holds this session"
    assert json.loads(answer.stdout) == {"systemMessage": told}
    assert describe_lost_loop(place.context, index(place)) == ""
