"""Work the agent left running when it stopped."""

import time
from pathlib import Path

import pytest

from client.control import requests_without_us
from client.model_request import Request
from client.script import Call, Step, bash
from client.texts import SILENT, format_feedback, still_red
from client.world import ClientWorld

pytestmark = pytest.mark.client

RUNS_AS_LONG_AS_THE_LOOP = """\
s=$HOME/.local/state/untildone/sessions/claude/$CLAUDE_CODE_SESSION_ID
while [ -e "$s/active" ]; do sleep 0.1; done
"""


def test_a_background_command_is_named_once_and_then_ignored(tmp_path: Path) -> None:
    script: list[Step] = [
        "Done.",
        bash("sh service.sh", run_in_background=True),
        "It runs.",
        "Done.",
        bash("echo > done.txt"),
        "Done.",
        "The command has ended.",
    ]
    world = ClientWorld(tmp_path)
    loop = world.start()
    world.project.joinpath("service.sh").write_text(RUNS_AS_LONG_AS_THE_LOOP, encoding="utf-8")

    result, server = world.run(script)

    assert (result.text, len(server.requests)) == ("The command has ended.", 7)
    first, _, running, second, done, _ = world.told(server)
    assert (first, second, done) == ((still_red(1),), (still_red(2),), (SILENT,))
    assert running == (
        format_feedback(
            "Still running in the background: scripted.",
            "Wait for it if you need its result; carry on if it is a service.",
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
    world = ClientWorld(tmp_path)
    loop = world.start()

    def report(_: Request) -> str:
        waited = appears('"type":"wait"', world.state_folder / "loops" / loop / "journal.jsonl")
        return "nothing found" if waited else "nobody waited"

    _, server = world.run(script, subagents=[report])

    assert len(server.requests) == 6
    first, _, (notification, *_), second, done = world.told(server)
    assert (first, second, done) == ((still_red(1),), (still_red(2),), (SILENT,))
    assert '<summary>Agent "look" finished</summary>' in notification
    assert "<result>nothing found</result>" in notification
    assert world.standing() == ("finished", "done", 3)
    assert [entry["verdict"]["type"] for entry in world.rounds(loop)] == [
        "continue",
        "continue",
        "finish",
    ]
    assert requests_without_us(script) == 1


def appears(text: str, journal: Path) -> bool:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if text in journal.read_text(encoding="utf-8"):
            return True
        time.sleep(0.05)
    return False
