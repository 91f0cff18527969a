"""Loops one after another in one session."""

from typing import Any

import pytest

from untildone.config.proposals import load_proposals
from untildone.engine import verbs
from untildone.store.loops import Record
from untildone.store.trusted_files import record_trust
from world import World, shown

PROMISE = "ALL PAGES WRITTEN"
TEMPLATES = """\
[templates.second]
task = "write the index"
commands = ["test -f done.txt"]

[templates.third]
task = "read it again"
promises = ["ALL PAGES READ"]
"""


@pytest.fixture
def first(world: World) -> str:
    """A loop of a promise, followed by two templates of the project."""
    world.write("untildone.toml", TEMPLATES)
    (proposed,) = load_proposals(world.project)
    record_trust(world.state_folder, proposed.path, sha256=proposed.sha256, text=TEMPLATES)
    return world.start(checks=(), promises=(PROMISE,), then=("second", "third")).contract.id


def stop_and_follow(world: World, message: str) -> Any:  # noqa: ANN401  whatever is answered
    answer = world.stop(last_assistant_message=message)
    world.loop = world.session.get_loop_id()
    return answer


def test_each_loop_that_ends_well_is_followed_by_the_next(world: World, first: str) -> None:
    second = stop_and_follow(world, PROMISE)
    begun = world.loop
    stop_and_follow(world, "Done.")
    world.finish()
    third = stop_and_follow(world, "Done.")
    last = stop_and_follow(world, "ALL PAGES READ")

    assert shown(second).startswith(
        f"[untildone] That task is finished (loop {first}). Continue with the next"
        f" task, in loop {begun}: when you stop, its criteria are judged.\n- check: `test -f"
        " done.txt`\n\nThe task, as agreed:\nwrite the index"
    )
    assert shown(third).endswith("The task, as agreed:\nread it again")
    assert last["systemMessage"].startswith("untildone: claimed after 1 round")
    assert {
        shown.contract.task: (shown.progress.outcome, shown.contract.after)
        for shown in world.context.loops.list_all()
        if isinstance(shown, Record)
    } == {
        "do it": ("claimed", ""),
        "write the index": ("done", first),
        "read it again": ("claimed", begun),
    }


@pytest.mark.usefixtures("first")
def test_a_stop_that_two_installed_commands_report_is_judged_once(world: World) -> None:
    stop_and_follow(world, PROMISE)

    twice = world.stop("plugin", last_assistant_message=PROMISE)

    assert (twice, world.state()) == (None, ("active", None, 0))


def test_a_cancelled_loop_is_followed_by_nothing(world: World, first: str) -> None:
    verbs.cancel(world.context, first)

    assert world.stop() is None
    assert world.session.get_loop_id() == ""
