"""What a compaction takes from the model is given back to it."""

from pathlib import Path

import pytest

from client.control import requests_without_us
from client.harness import allow
from client.model_server import ModelServer
from client.script import Fail, Step, bash
from client.texts import SILENT, reminder, still_red
from client.world import ClientWorld

pytestmark = pytest.mark.client


def test_a_compaction_gives_task_criteria_and_status_back(tmp_path: Path) -> None:
    script: list[Step] = [
        "Done.",
        # The turn ends without a stop, and the loop goes on.
        Fail(403, kind="permission_error"),
        "Done.",
        bash("echo > done.txt"),
        "Done.",
    ]
    world = ClientWorld(tmp_path)
    world.start("--check", "test -f done.txt", "--task", "Write the page.")

    with (
        ModelServer(script) as server,
        world.client(server).talk("--session-id", world.session, *allow("Bash")) as conversation,
    ):
        for prompt in ("please work", "/compact", "go on"):
            conversation.say(prompt)
        conversation.finish()

    assert (len(server.requests), len(server.asides)) == (5, 1)
    held, *after = world.told(server)
    assert held == (still_red(1, task="Write the page."),)
    # The cost is unknown as long as the client has not written its transcript.
    given_back = "\n\n".join(after[0]).replace(" | 0.00 USD", "")
    expected = reminder("round 1 of 10 | unmet: check", task="Write the page.")
    assert given_back.count(expected) == 1
    assert after[1:] == [(still_red(2, task="Write the page."),), (SILENT,)]
    assert world.standing() == ("finished", "done", 3)
    assert requests_without_us(script) == 1
