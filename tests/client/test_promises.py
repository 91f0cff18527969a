"""Loops that end by the agent's words, and the loop that follows one, with the real client."""

from pathlib import Path

import pytest

from client.control import requests_without_us
from client.script import Step, bash
from client.texts import format_feedback
from client.world import ClientWorld
from endings import RECEIPT, hide_effort
from snippets import snippet

pytestmark = pytest.mark.client

PROMISES = ("ALL PAGES WRITTEN", "Nothing left to write")
STEP = (
    "See what is done and what is missing, and go on with the task. When it is true, and only then,"
    " say <promise>ALL PAGES WRITTEN</promise> or <promise>Nothing left to write</promise>. If you"
    " cannot go on, run `untildone blocked REASON`."
)
WORK: list[Step] = [
    "Not yet ALL PAGES WRITTEN.",
    "Once the index is there I'll say ALL PAGES WRITTEN.",
    "> ALL PAGES WRITTEN",
    "The index is there: **nothing left** to _write_!",
]


def test_one_of_several_promises_ends_it_as_claimed_once_it_is_meant(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    world.start("--promise", PROMISES[0], "--promise", PROMISES[1])

    result, server = world.run(WORK)

    unmet = "Unmet: promise `ALL PAGES WRITTEN`, promise `Nothing left to write`."
    assert world.told(server) == tuple(
        (format_feedback(f"Round {number} of 10: not done yet. {unmet}", STEP),)
        for number in (1, 2, 3)
    )
    assert world.standing() == ("finished", "claimed", 4)
    assert hide_effort(result.notices[-1]) == (
        "Stop says: untildone: claimed after 4 rounds: ended by the agent's words alone"
        f" | {RECEIPT}"
    )
    assert requests_without_us(WORK) == 1


def test_the_next_loop_follows_in_the_same_session(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    world.project.joinpath("untildone.toml").write_text(
        snippet("""
            [templates.finish]
            task = 'Finish the file'
            commands = ['test -f done.txt']
        """),
        encoding="utf-8",
    )
    world.untildone("trust", "--yes")
    first = world.start("--promise", "ALL PAGES WRITTEN", "--then", "finish")

    _, server = world.run(["ALL PAGES WRITTEN", "Done.", bash("echo > done.txt"), "Done."])

    later = {loop["id"]: loop for loop in world.loops()}
    second = next(loop for loop in later if loop != first)
    assert (later[first]["outcome"], later[second]["outcome"]) == ("claimed", "done")
    (reported,) = server.reached_model[1]
    assert f"(loop {first}). Continue with the next task, in loop {second}" in reported
    assert "Finish the file" in reported
    assert f"- followed by loop {second}" in world.untildone("show", first).stdout
    assert f"- follows loop {first}" in world.untildone("show", second).stdout
