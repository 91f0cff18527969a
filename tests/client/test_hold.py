"""The real client is held while red and let go when green, by bounds that are ours."""

import json
from pathlib import Path

import pytest

from client.control import requests_without_us
from client.script import Step, bash
from client.texts import SILENT, still_red
from client.world import ClientWorld
from endings import RECEIPT, hide_effort
from world import CHECK

pytestmark = pytest.mark.client


def test_held_while_red_and_released_when_green(tmp_path: Path) -> None:
    script: list[Step] = ["All done.", bash("echo > done.txt"), "Now it is."]
    world = ClientWorld(tmp_path)
    world.start()

    result, server = world.run(script)

    assert (result.exit_code, result.text, len(server.requests)) == (0, "Now it is.", 3)
    assert world.told(server) == ((still_red(1),), (SILENT,))
    assert world.standing("unmet", "held") == ("finished", "done", 2, [], False)
    done = "untildone: done after 2 rounds: check green | from red to green: check"
    assert tuple(map(hide_effort, result.notices)) == (
        "Stop says: untildone: held, round 1 of 10, unmet: check red",
        f"Stop says: {done} | {RECEIPT}",
    )
    assert requests_without_us(script) == 1


def test_status_says_held_while_the_agent_works(tmp_path: Path) -> None:
    script: list[Step] = ["Done.", bash("untildone status --json"), "Done."]
    world = ClientWorld(tmp_path)
    world.start("--check", CHECK, "--rounds", "2")

    _, server = world.run(script)

    feedback, (seen,) = world.told(server)
    (loop,) = json.loads(seen)["loops"]
    assert feedback == (still_red(1, of=2),)
    assert [loop[key] for key in ("status", "outcome", "round", "held")] == [
        "active",
        None,
        1,
        True,
    ]
    assert world.standing("held") == ("paused", "out-of-rounds", 2, False)
    assert len(server.requests) == 3
    assert requests_without_us(script) == 1


def test_twelve_text_only_stops_end_at_our_bound(tmp_path: Path) -> None:
    script: list[Step] = [f"Done {number}." for number in range(1, 14)]
    world = ClientWorld(tmp_path)
    world.start("--check", CHECK, "--rounds", "12", "--stagnation-limit", "0")

    result, server = world.run(script)

    assert (result.text, len(server.requests)) == ("Done 12.", 12)
    assert world.told(server) == tuple((still_red(number, of=12),) for number in range(1, 12))
    assert world.standing("held") == ("paused", "out-of-rounds", 12, False)
    assert hide_effort(result.notices[-1]) == (
        "Stop says: untildone: paused (out-of-rounds): round 12 of 12. The agent is no longer held;"
        " resume with `untildone continue --rounds +N` | left: check"
        f" | 12 rounds, {RECEIPT}\n"
        "Stop says: Tried: round 10: no file was written; round 11: no file was written;"
        " round 12: no file was written\n"
        "Stop says: Blocks: check, red\n"
        f"Stop says: Go on: `untildone continue {world.status()['id']} --rounds +N`, after a look"
        " at what blocks"
    )
    assert requests_without_us(script) == 1


def test_with_the_plugin_alone_we_let_go_before_the_client_does_so_silently(tmp_path: Path) -> None:
    script: list[Step] = ["Done."] * 12
    world = ClientWorld(tmp_path, install="plugin")
    world.start("--check", CHECK, "--rounds", "20", "--stagnation-limit", "0")

    result, server = world.run(script)

    assert len(server.requests) == 9
    assert world.told(server) == tuple((still_red(number, of=20),) for number in range(1, 9))
    assert world.standing("held") == ("paused", "cut-off", 9, False)
    assert not any("consecutive times" in json.dumps(event) for event in result.events)
    assert requests_without_us(script) == 1


@pytest.mark.parametrize("install", ["settings", "both"])
def test_nine_equal_stops_are_nine_rounds(tmp_path: Path, install: str) -> None:
    script: list[Step] = ["Done."] * 9
    world = ClientWorld(tmp_path, install=install)
    world.start("--check", CHECK, "--rounds", "9", "--stagnation-limit", "0")

    result, server = world.run(script)

    assert (result.text, len(server.requests)) == ("Done.", 9)
    assert world.told(server) == tuple((still_red(number, of=9),) for number in range(1, 9))
    assert world.standing("held") == ("paused", "out-of-rounds", 9, False)
    assert requests_without_us(script) == 1


def test_nothing_that_moved_ends_the_loop_as_stagnated(tmp_path: Path) -> None:
    script: list[Step] = ["Done."] * 9
    world = ClientWorld(tmp_path)
    world.start()

    _, server = world.run(script)

    assert len(server.requests) == 6
    assert world.told(server) == tuple((still_red(number),) for number in range(1, 6))
    assert world.standing("reason") == (
        "paused",
        "stagnated",
        6,
        "nothing moved in 5 rounds",
    )
    assert requests_without_us(script) == 1
