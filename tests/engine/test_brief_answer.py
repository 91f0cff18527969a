"""A hold on a screen: a few lines for everyone, the whole in a file for the agent."""

from pathlib import Path

import pytest

from world import ATTENDED, World


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.environ[ATTENDED] = "1"
    return world


def test_a_held_round_is_one_line_and_the_rest_is_in_a_file(world: World) -> None:
    world.start()

    answer = world.stop(cwd=str(world.project))

    file = f".untildone/feedback-{world.loop}.md"
    assert answer == {
        "hookSpecificOutput": {
            "hookEventName": "Stop",
            "additionalContext": "untildone: held, round 1 of 10, unmet: check red."
            f" Read `{file}` and go on.",
        }
    }
    assert world.read(file).startswith("[untildone] Round 1 of 10: not done yet. Unmet: check.\n")
    assert world.read(file).endswith("The task, as agreed:\ndo it")


def test_nobody_reads_along_in_a_headless_run(world: World) -> None:
    world.environ[ATTENDED] = "0"
    world.start()

    text = world.stop()["hookSpecificOutput"]["additionalContext"]

    assert text.endswith("The task, as agreed:\ndo it")
    assert not list(world.project.glob(".untildone/feedback-*"))


def test_what_is_still_running_needs_no_file(world: World) -> None:
    world.start()
    server = {"id": "b1", "type": "shell", "description": "npm run dev"}

    answer = world.stop(background_tasks=[server])

    assert answer["hookSpecificOutput"]["additionalContext"] == (
        "[untildone] Still running in the background: npm run dev."
        " Wait for it if you need its result; carry on if it is a service."
    )


def test_without_a_place_for_the_file_the_agent_is_told_everything(world: World) -> None:
    world.write(".untildone", "mine")
    world.start()

    answer = world.stop()

    assert answer["systemMessage"] == "untildone: held, round 1 of 10, unmet: check red"
    assert "The task, as agreed:" in answer["hookSpecificOutput"]["additionalContext"]


def test_many_checks_and_the_lines_of_a_spec_still_fit(world: World) -> None:
    spec = "Make done.txt hold every page; no new packages; done when `test -f done.txt` passes"
    world.start(preset="loop", task=spec, done_when="both")

    lines = world.stop()["hookSpecificOutput"]["additionalContext"].splitlines()

    assert len(lines) == 2
    assert lines[0].startswith("untildone: held, round 1 of 10, unmet: check red. Read `")
    assert lines[1].startswith("[LOOP] Round 1/10 | Cost: ")
