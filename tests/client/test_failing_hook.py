"""A hook that fails lets the agent go, says so, and is never taken for `done`."""

import json
from pathlib import Path

import pytest

from client.control import requests_without_us
from client.script import Step, bash
from client.texts import SILENT, still_red
from client.world import ClientWorld
from endings import RECEIPT, hide_effort

pytestmark = pytest.mark.client


DAMAGED = (
    "`STATE/loops/LOOP/state.json` is not a file of untildone and"
    " `STATE/loops/LOOP/state.json.previous` is not a file of untildone"
)
NOT_JUDGED = "the last stop was not judged"


def spoil(folder: Path, pattern: str) -> None:
    for path in folder.glob(pattern):
        path.write_text("broken\n", encoding="utf-8")


def test_a_hook_that_cannot_read_its_loop_says_so_and_lets_go(tmp_path: Path) -> None:
    script: list[Step] = ["Done.", "Done."]
    world = ClientWorld(tmp_path)
    loop = world.start()
    spoil(world.state_folder / "loops" / loop, "state.json*")
    spoil(world.state_folder / "loops" / loop, "journal.jsonl")

    result, server = world.run(script)

    assert len(server.requests) == 1
    assert [world.named(text) for text in result.notices] == [
        f"UserPromptSubmit says: untildone failed (DamagedFileError: {DAMAGED}); this event was not"
        " looked at. See `untildone doctor`",
        f"Stop says: untildone failed (DamagedFileError: {DAMAGED}); the agent was not held."
        " See `untildone doctor`",
    ]
    status = json.loads(world.named(world.untildone("status", "--json").stdout))
    assert status == {
        "loops": [],
        "automatic": False,
        "unreadable": [{"id": "LOOP", "reason": DAMAGED}],
    }
    assert requests_without_us(script) == 1


def test_a_damaged_state_is_recovered_and_the_agent_is_held(tmp_path: Path) -> None:
    script: list[Step] = ["Done.", bash("echo > done.txt"), "Done."]
    world = ClientWorld(tmp_path)
    loop = world.start()
    spoil(world.state_folder / "loops" / loop, "state.json")

    _, server = world.run(script)

    assert len(server.requests) == 3
    assert world.told(server) == ((still_red(1),), (SILENT,))
    assert world.standing() == ("finished", "done", 2)
    assert requests_without_us(script) == 1


def test_a_damaged_contract_pauses_the_loop_as_tampered(tmp_path: Path) -> None:
    script: list[Step] = ["Done.", "Done."]
    world = ClientWorld(tmp_path)
    loop = world.start()
    spoil(world.state_folder / "loops" / loop, "contract.json")

    result, server = world.run(script)

    reason = "`STATE/loops/LOOP/contract.json` is not a file of untildone"
    assert len(server.requests) == 1
    assert [hide_effort(world.named(text)) for text in result.notices] == [
        f"Stop says: untildone: paused (tampered): {reason}. The agent is no longer held;"
        f" resume with `untildone continue` | 0 rounds, {RECEIPT}"
    ]
    assert world.standing("held") == ("paused", "tampered", 0, False)
    assert requests_without_us(script) == 1


def test_a_killed_hook_is_reported_by_status_and_at_the_next_prompt(tmp_path: Path) -> None:
    script: list[Step] = ["Done.", "Done."]
    world = ClientWorld(tmp_path)
    check = world.project / "check.sh"
    check.write_text("exit 1\n", encoding="utf-8")
    world.start("--check", ". ./check.sh")
    check.write_text("kill -9 $PPID\n", encoding="utf-8")

    result, server = world.run(script)

    assert (result.exit_code, len(server.requests)) == (0, 1)
    assert world.standing("held", "not_held_because") == (
        "active",
        None,
        0,
        False,
        f"{NOT_JUDGED}: the hook was killed",
    )

    result, server = world.run(script, "what now?")

    assert len(server.requests) == 1
    assert tuple(map(world.named, result.notices)) == (
        f"UserPromptSubmit says: untildone: {NOT_JUDGED} (the hook was killed);"
        " the agent was not held",
        "Stop says: untildone: released, not judged: you asked a question and nothing was changed;"
        " loop LOOP is active",
    )
    assert requests_without_us(script) == 1
