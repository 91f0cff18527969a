"""The real client in a terminal: the user is never fought."""

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from client.harness import allow
from client.model_request import Request
from client.model_server import ModelServer
from client.script import Gate, Step, bash
from client.terminal import Terminal
from client.world import ClientWorld

pytestmark = pytest.mark.client

START = "/untildone:test finish it --check 'test -f done.txt' --rounds 20 --stagnation-limit 0"


@contextmanager
def sitting_at(world: ClientWorld, steps: Sequence[Step]) -> Iterator[tuple[Terminal, ModelServer]]:
    """A user at the terminal, with Bash allowed."""
    with ModelServer(steps) as server:
        client = world.client(server)
        with Terminal(client, *allow("Bash")) as terminal:
            terminal.wait_until_ready()
            yield terminal, server


def wait_until_ended(world: ClientWorld, outcome: str, timeout: float = 15) -> None:
    end = time.monotonic() + timeout
    while world.status()["outcome"] != outcome:
        assert time.monotonic() < end, world.status()
        time.sleep(0.2)


def test_cancel_typed_while_held_frees_at_the_next_stop(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    thinking = Gate("two")
    with sitting_at(world, ["one", thinking, "three", "four"]) as (terminal, server):
        terminal.submit(START)
        thinking.wait_reached()
        terminal.submit("/untildone:cancel")
        time.sleep(0.7)
        thinking.open()
        wait_until_ended(world, "cancelled")
        terminal.wait_for("is cancelled")
        terminal.wait_until_idle()

        assert len(server.requests) == 2
    assert (world.status()["status"], world.status()["round"]) == ("finished", 1)


def test_a_plain_stop_cancels_at_once(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    thinking = Gate("two")
    with sitting_at(world, ["one", thinking, "three"]) as (terminal, server):
        terminal.submit(START)
        thinking.wait_reached()
        terminal.submit("stop")
        wait_until_ended(world, "cancelled")
        thinking.open()
        terminal.wait_for("two")
        terminal.wait_until_idle()

        assert len(server.requests) == 2


def test_after_esc_a_question_is_answered_and_the_loop_goes_on(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    thinking = Gate("never seen")
    steps: list[Step] = [
        "one",
        thinking,
        "It is four.",
        bash("echo x > half.txt"),
        "half done",
        bash("echo x > done.txt"),
        "finished",
    ]
    with sitting_at(world, steps) as (terminal, server):
        terminal.submit(START)
        thinking.wait_reached()
        terminal.press("Escape")
        terminal.wait_for("Interrupted")
        thinking.open()
        terminal.submit("what is two and two?")
        terminal.wait_for("It is four.")
        terminal.wait_until_idle()
        assert (len(server.requests), world.status()["status"]) == (3, "active")

        terminal.submit("go on then")
        terminal.wait_for("finished")
        wait_until_ended(world, "done")
        terminal.wait_until_idle()

        assert len(server.requests) == 7
    assert world.status()["round"] == 3


def test_a_question_during_a_hold_is_answered_first(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    thinking = Gate("two")
    steps: list[Step] = ["one", thinking, "It is four.", bash("echo x > done.txt"), "finished"]
    with sitting_at(world, steps) as (terminal, server):
        terminal.submit(START)
        thinking.wait_reached()
        terminal.submit("what is two and two?")
        time.sleep(0.7)
        thinking.open()
        terminal.wait_for("It is four.")
        terminal.wait_until_idle()

        assert len(server.requests) == 3
    assert world.status()["status"] == "active"


def test_a_phrase_starts_the_loop_and_the_status_line_shows_it(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    world.project.joinpath("Makefile").write_text("test:\n\ttest -f done.txt\n", encoding="utf-8")
    thinking = Gate(bash("echo x > done.txt"))
    with sitting_at(world, ["one", thinking, "finished"]) as (terminal, server):
        terminal.submit("test relentlessly: finish the page")
        # Which round it shows depends on when the client last asked for its status line.
        terminal.wait_for("| round ")
        terminal.wait_for("held, round 1 of 10")
        status = world.status()
        assert (status["task"], status["held"]) == ("finish the page", True)
        thinking.open()
        wait_until_ended(world, "done")

        assert len(server.requests) == 3


def test_the_users_own_shell_command_cancels(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    with sitting_at(world, ["one", Gate("two"), "three"]) as (terminal, server):
        terminal.submit(START)
        server.wait_for_requests(2)
        terminal.press("Escape")
        terminal.wait_for("Interrupted")
        terminal.type("!untildone cancel")
        terminal.wait_for("untildone cancel")
        terminal.press("Enter")
        wait_until_ended(world, "cancelled")


def test_the_users_shell_command_works_right_after_they_broke_off_a_tool(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    with sitting_at(world, ["one", bash("sleep 60"), "three"]) as (terminal, _):
        terminal.submit(START)
        terminal.wait_for("sleep 60")
        time.sleep(0.5)
        terminal.press("Escape")
        terminal.wait_for("Interrupted")
        terminal.type("!untildone cancel")
        terminal.wait_for("untildone cancel")
        terminal.press("Enter")
        wait_until_ended(world, "cancelled")


def test_clear_pauses_the_loop_and_it_can_be_taken_along(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    steps: list[Step] = ["one", Gate("two"), "noted", bash("echo x > done.txt"), "finished"]
    with sitting_at(world, steps) as (terminal, server):
        terminal.submit(START)
        server.wait_for_requests(2)
        terminal.press("Escape")
        terminal.wait_for("Interrupted")
        terminal.submit("/clear")
        terminal.wait_for("takes it along")
        loop = world.status()
        assert (loop["status"], loop["reason"]) == ("paused", "the conversation was cleared")

        terminal.type(f"!untildone continue --here {loop['id']}")
        terminal.wait_for("--here")
        terminal.press("Enter")
        terminal.wait_for("continues")
        wait_until_ended(world, "done")
    assert world.status()["session"] != loop["session"]


def test_a_held_round_takes_three_lines_and_the_agent_can_read_the_rest(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    world.write("a.py", "import os\n" * 40)
    steps: list[Step] = ["one", read_feedback, Gate("three")]
    with sitting_at(world, steps) as (terminal, server):
        terminal.submit("/untildone:test finish it --check 'cat a.py; exit 1'")
        server.wait_for_requests(3)
        shown = terminal.wait_for("held, round 1 of 10")
        (read,) = server.reached_model[2]

    after_answer = shown[shown.index("● one") :].splitlines()[1:]
    held = [line for line in after_answer[: after_answer.index("", 1)] if line.strip()]
    assert held[0].strip() == "● Ran 1 stop hook"
    assert 1 < len(held) <= 3
    assert "The task, as agreed:" in read


def read_feedback(request: Request) -> Step:
    """The agent opens the file that it is told to read."""
    told = re.search(r"Read `([^`]+)`", request.new_texts[-1])
    assert told is not None
    return bash(f"cat {told[1]}")
