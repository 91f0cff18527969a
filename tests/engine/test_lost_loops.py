"""A loop that was taken out of the index is tampered with, never absent."""

import json
import os
import shutil
from pathlib import Path

import pytest

from hooks.world import HookWorld
from untildone.engine.agent_verbs import AgentVerb
from untildone.engine.lost_loops import describe_lost_loop, pause_unindexed_loop
from untildone.engine.verbs import cancel, pause, record_agent_verb, resume
from untildone.errors import UserError
from untildone.store.sessions import Session


@pytest.fixture
def world(tmp_path: Path) -> HookWorld:
    made = HookWorld(tmp_path)
    note = AgentVerb(verb="note", text="it has begun")
    record_agent_verb(made.context, made.start().contract.id, note)
    return made


def index(world: HookWorld) -> Session:
    return world.session


def loop_of(world: HookWorld) -> str:
    return index(world).get_loop_id()


def outcome(world: HookWorld, loop: str) -> str | None:
    return world.context.loops.load(loop).progress.outcome


def clear(world: HookWorld) -> None:
    """Both places."""
    for folder in ("sessions", "held"):
        shutil.rmtree(world.state_folder / folder)


@pytest.mark.parametrize("folder", [False, True], ids=["the file", "the folder"])
def test_a_stop_of_a_loop_whose_index_is_gone_pauses_it(world: HookWorld, *, folder: bool) -> None:
    loop, session = loop_of(world), index(world)
    if folder:
        shutil.rmtree(session.folder)
    else:
        session.remove("active")

    world.run_hook("Stop")

    assert outcome(world, loop) == "tampered"
    resume(world.context, loop)
    assert (session.is_active(), session.explain_index_damage(), outcome(world, loop)) == (
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
    world: HookWorld, event: str, more: dict[str, str]
) -> None:
    loop, missing = loop_of(world), index(world).get_path("active")
    clear(world)

    answer = world.run_hook(event, world.payload(event, **more))

    assert answer.json["systemMessage"] == (
        f"untildone: loop {loop} is paused (tampered): `{missing}` is missing."
        f" To continue: `untildone continue {loop}`"
    )
    assert outcome(world, loop) == "tampered"
    assert (index(world).get_loop_id(), index(world).is_active()) == (loop, False)


def test_no_second_loop_is_started_over_it(world: HookWorld) -> None:
    loop = loop_of(world)
    clear(world)

    with pytest.raises(UserError, match=rf"loop {loop} is paused \(tampered\)"):
        world.start()


def test_a_loop_that_is_seen_paused_over_or_begun_just_now_is_left_alone(world: HookWorld) -> None:
    here, loop = world.context, loop_of(world)
    assert pause_unindexed_loop(here, here.loops.load(loop)).progress.outcome is None
    pause(here, loop)
    clear(world)
    assert pause_unindexed_loop(here, here.loops.load(loop)).progress.outcome == "paused"
    cancel(here, loop)
    assert pause_unindexed_loop(here, here.loops.load(loop)).progress.outcome == "cancelled"
    begun = world.start()
    clear(world)
    assert pause_unindexed_loop(here, begun) == begun


def test_a_loop_that_is_driven_by_us_needs_no_index(world: HookWorld) -> None:
    here, loop = world.context, loop_of(world)
    clear(world)
    index(world).write("driver", str(os.getpid()))

    assert pause_unindexed_loop(here, here.loops.load(loop)).progress.outcome is None


def test_a_loop_whose_folder_is_gone_is_reported_and_the_user_goes_on(world: HookWorld) -> None:
    loop = loop_of(world)
    folder = world.state_folder / "loops" / loop
    shutil.rmtree(folder)

    answer = world.run_hook("UserPromptSubmit", world.payload("UserPromptSubmit", prompt="hello"))

    reported = (
        f"untildone: `{folder}` is missing: loop {loop} is lost and nobody holds this session"
    )
    assert json.loads(answer.stdout) == {"systemMessage": reported}
    assert describe_lost_loop(world.context, index(world)) == ""
