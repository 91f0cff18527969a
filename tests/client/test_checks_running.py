"""The real client in a terminal while checks run: what is shown, and how they are broken off."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from client.harness import allow
from client.model_server import ModelServer
from client.terminal import Terminal
from client.world import ClientWorld

pytestmark = pytest.mark.client

CHECK = "test -f slow.txt && sleep 60"


@contextmanager
def watching_checks(world: ClientWorld) -> Iterator[Terminal]:
    """A terminal in which the check of the first stop has begun to run."""
    with ModelServer(["one", "two", "three"]) as server:
        client = world.client(server)
        with Terminal(client, "--session-id", world.session, *allow("Bash")) as terminal:
            terminal.wait_until_ready()
            world.start("--check", CHECK)
            world.write("slow.txt", "")
            terminal.submit("finish it")
            terminal.wait_for("checking check")
            yield terminal


def test_the_status_line_counts_while_a_check_runs_and_shows_the_end(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    with watching_checks(world) as terminal:
        seconds = [int(second) for second in re.findall(r"check (\d+) s", terminal.screen())][-1]
        terminal.wait_for(f"checking check {seconds + 3} s", timeout=15)
        world.untildone("cancel")
        terminal.wait_for("cancelled after 0 rounds", timeout=15)

        terminal.wait_for("| cancelled | round 0 of 10", timeout=15)


def test_esc_while_checks_run_is_called_esc(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    with watching_checks(world) as terminal:
        terminal.press("Escape")
        terminal.wait_for("Interrupted")

        reason = "the last stop was not judged: you interrupted the checks with Esc"
        assert world.status()["not_held_because"] == reason


def test_pause_typed_while_checks_run_acts_at_once(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    with watching_checks(world) as terminal:
        terminal.submit("/untildone:pause")
        terminal.wait_for("is paused after 0 rounds", timeout=15)

        terminal.wait_for("| paused | round 0 of 10", timeout=15)
    assert world.standing() == ("paused", "paused", 0)
