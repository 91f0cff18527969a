"""What the agent of a headless run may use without a word of the user's: its own verbs."""

from pathlib import Path

import pytest

from client.script import bash
from client.test_run import run
from client.world import ClientWorld

pytestmark = pytest.mark.client


@pytest.mark.parametrize("own", [(), ("--allowedTools", "Bash(python3:*)")], ids=["none", "some"])
def test_the_agents_verbs_are_permitted_beside_what_the_user_permits(
    tmp_path: Path, own: tuple[str, ...]
) -> None:
    world = ClientWorld(tmp_path, install="nothing")
    given = ("note 'Seen.'", "show", "show --at-start readme.txt", "check")
    verbs = [bash(f"untildone {verb}") for verb in given]
    work = [*verbs, bash('python3 -c \'open("done.txt", "w")\'')]

    _, events, _ = run(world, [*work, "Done."], "--rounds", "1", "--", *own)

    denied = [event["reason"] for event in events if event["event"] == "denied"]
    ended = events[-1]
    assert (len(denied), ended["outcome"]) == ((0, "done") if own else (1, "out-of-rounds"))
