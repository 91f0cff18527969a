"""Work the agent left running when it stopped."""

from pathlib import Path

import pytest

from client.control import requests_without_us
from client.script import Call, Delay, Step, bash
from client.texts import SILENT, TASK, held, still_red
from client.world import World

pytestmark = pytest.mark.client


def test_a_background_command_is_named_once_and_then_ignored(tmp_path: Path) -> None:
    script: list[Step] = [
        "Done.",
        bash("sleep 3", run_in_background=True),
        "It runs.",
        "Done.",
        bash("echo > done.txt"),
        "Done.",
        "The command has ended.",
    ]
    world = World(tmp_path)
    loop = world.start()

    result, server = world.run(script)

    assert (result.text, len(server.requests)) == ("The command has ended.", 7)
    first, _, running, second, done, _ = world.told(server)
    assert (first, second, done) == ((still_red(1),), (still_red(2),), (SILENT,))
    assert running == (
        held(
            "[untildone] Still running in the background: scripted.\n"
            "Wait for it if you need its result; carry on if it is a service.\n"
            "\n"
            f"The task, as agreed:\n{TASK}"
        ),
    )
    assert world.standing() == ("finished", "done", 3)
    assert [entry["number"] for entry in world.rounds(loop)] == [1, 2, 3]
    assert requests_without_us(script) == 1


def test_a_background_subagent_is_waited_for_and_its_report_judged(tmp_path: Path) -> None:
    task = {"description": "look", "prompt": "look around", "subagent_type": "general-purpose"}
    script: list[Step] = [
        "Done.",
        Call("Agent", {**task, "run_in_background": True}),
        "It looks around.",
        "It has reported.",
        bash("echo > done.txt"),
        "Done.",
    ]
    world = World(tmp_path)
    loop = world.start()

    _, server = world.run(script, subagents=[Delay(1, "nothing found")])

    assert len(server.requests) == 6
    first, _, (notification, *_), second, done = world.told(server)
    assert (first, second, done) == ((still_red(1),), (still_red(2),), (SILENT,))
    assert '<summary>Agent "look" finished</summary>' in notification
    assert world.standing() == ("finished", "done", 3)
    assert [entry["verdict"]["type"] for entry in world.rounds(loop)] == [
        "continue",
        "continue",
        "finish",
    ]
    assert requests_without_us(script) == 1
