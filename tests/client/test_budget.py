"""A budget that is used up in the middle of a round, and limits of the service."""

from pathlib import Path

import pytest

from client.control import requests_without_us
from client.script import Billed, Fail, Step, bash
from client.world import ClientWorld
from world import CHECK

pytestmark = pytest.mark.client

# Two dollars of tokens.
COSTLY = Billed(bash("true"), input_tokens=500_000)
# Longer than money is left unlooked at between calls.
LONG = Billed(bash("sleep 6"), input_tokens=500_000)


def test_a_budget_is_kept_between_tool_calls_and_the_user_goes_on(tmp_path: Path) -> None:
    script: list[Step] = ["Done.", COSTLY, LONG, COSTLY, LONG, "Done."]
    world = ClientWorld(tmp_path)
    loop = world.start("--check", CHECK, "--budget", "3")

    result, server = world.run(script)
    paused = world.standing("reason")
    spent = world.status()["spend_usd"]
    reported = result.notices[-1]
    world.untildone("continue", loop, "--budget", "+10")
    _, again = world.run([bash("echo > done.txt"), "Done."], "go on")

    assert len(server.requests) < len(script)
    assert (result.results[-1]["terminal_reason"], result.exit_code) == ("hook_stopped", 0)
    assert paused == (
        "paused",
        "out-of-budget",
        1,
        f"{spent:.2f} of 3 USD, in the middle of round 2",
    )
    assert reported.startswith(
        f"PostToolBatch says: untildone: paused (out-of-budget): {spent:.2f} of"
    )
    assert "resume with `untildone continue --budget +N`" in reported
    assert len(again.requests) == 2
    assert world.standing() == ("finished", "done", 2)
    assert world.status()["spend_usd"] > spent
    assert requests_without_us(script) == 1


def test_a_turn_that_a_limit_of_the_service_ends_is_no_round(tmp_path: Path) -> None:
    script: list[Step] = ["Done.", Fail(400, text="Your credit balance is too low")]
    world = ClientWorld(tmp_path)
    world.start()

    result, _ = world.run(script)
    between = world.standing()
    _, server = world.run([bash("echo > done.txt"), "Done."], "go on")

    assert (result.exit_code, result.text) == (1, "Credit balance is too low")
    assert between == ("active", None, 1)
    assert len(server.requests) == 2
    assert world.standing() == ("finished", "done", 2)
