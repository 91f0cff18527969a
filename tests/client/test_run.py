"""`untildone run` around the real client: it is asked again until our checks are green."""

import json
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from client.harness import claude_binary
from client.model_server import ModelServer
from client.script import Billed, Fail, Gate, Step, bash
from client.texts import format_held, reminder, still_red
from client.world import BIN, ClientWorld
from world import CHECK

pytestmark = pytest.mark.client

TASK = "Write done.txt."
MAY = ("--", "--allowedTools", "Bash")


def feedback(number: int) -> str:
    """As a prompt of its own, not as a hook's text."""
    before, after = format_held("|").split("|")
    return still_red(number, task=TASK).removeprefix(before).removesuffix(after)


def command(world: ClientWorld, server: ModelServer, *options: str) -> dict[str, Any]:
    environment = world.client(server).environment
    path = os.pathsep.join((str(claude_binary().parent), environment["PATH"]))
    return {
        "args": [BIN / "untildone", "run", TASK, "--check", CHECK, *options],
        "cwd": world.project,
        "env": {**environment, "PATH": path, "CLAUDE_CODE_MAX_RETRIES": "0"},
        "text": True,
    }


def run(
    world: ClientWorld, steps: Sequence[Step], *options: str, after: Step = "Done."
) -> tuple[int, list[dict[str, Any]], ModelServer]:
    """Exit code, events, and the model that was asked."""
    with ModelServer(steps, after=after) as server:
        done = subprocess.run(
            **command(world, server, "--json", *(options or MAY)),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=120,
        )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], server


@pytest.mark.parametrize("install", ["nothing", "settings", "plugin"])
def test_red_is_held_and_green_is_done(tmp_path: Path, install: str) -> None:
    world = ClientWorld(tmp_path, install=install)
    plugin = (*MAY, *world.plugin())

    code, events, server = run(world, ["Done.", bash("echo > done.txt"), "Now."], *plugin)

    assert code == 0
    assert [event["event"] for event in events if event["event"] not in ("filled", "said")] == [
        *("started", "asked", "returned", "judged"),
        *("asked", "tool", "returned", "judged", "ended"),
    ]
    # Hooks that are installed leave the returns to the run: nothing is judged or reported twice.
    assert len(server.requests) == 3
    ours = [
        [world.named(text) for text in texts if "[untildone]" in text]
        for texts in server.reached_model
    ]
    assert ours == [
        [reminder("round 0 of 10", task=TASK, unmet="not judged yet")],
        [feedback(1)],
        [],
    ]
    assert world.standing() == ("finished", "done", 2)
    assert events[-1]["spend_usd"] == pytest.approx(0.0015)


def test_the_client_s_exit_code_0_proves_nothing(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path, install="nothing")

    code, events, _ = run(world, [], "--rounds", "2", *MAY)

    assert (code, world.standing()) == (10, ("paused", "out-of-rounds", 2))
    assert events[-1]["resume"] == f"untildone continue {events[0]['loop']}"


def test_a_rate_limit_pauses_where_nobody_wants_to_wait(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path, install="nothing")
    limit = Fail(429, "rate_limit_error", "too many requests")

    code, _, server = run(world, [limit], "--no-wait", *MAY)

    assert (code, len(server.requests)) == (22, 1)
    assert world.standing("reason") == (
        *("paused", "paused", 0),
        "usage limit: API Error: Request rejected (429) · too many requests",
    )


def test_a_client_that_is_not_signed_in_blocks_the_loop(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path, install="nothing")

    code, _, _ = run(world, [Fail(401, "authentication_error", "invalid x-api-key")])

    assert code == 14
    assert world.standing("reason") == (
        *("paused", "blocked", 0),
        "authentication: Invalid API key · Fix external API key; sign in: run `claude` and type"
        " `/login`, or set `ANTHROPIC_API_KEY`",
    )


def test_the_budget_ends_a_round_that_would_spend_more(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path, install="nothing")
    dear = Billed(bash("echo a"), input_tokens=100_000)

    code, _, server = run(world, [], "--budget", "1", *MAY, after=dear)

    assert (code, len(server.requests)) == (11, 3)
    assert world.standing("reason") == ("paused", "out-of-budget", 1, "1.20 of 1 USD")


def test_a_tool_without_permission_is_reported_and_blocks_the_loop(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path, install="nothing")
    steps: list[Step] = [bash("curl http://127.0.0.1:9"), "I may not."] * 2

    code, events, _ = run(world, steps, "--rounds", "5")

    assert (code, [event["tool"] for event in events if event["event"] == "denied"]) == (
        14,
        ["Bash", "Bash"],
    )


def test_a_client_that_dies_is_started_again(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path, install="nothing")
    suicide = bash("kill -9 $PPID")
    steps: list[Step] = [suicide, bash("echo > done.txt"), "Now."]

    code, events, _ = run(world, steps)

    assert (code, world.standing()) == (0, ("finished", "done", 1))
    assert [event["fault"] for event in events if event["event"] == "waiting"] == ["crashed"]


def test_ctrl_c_pauses_and_continue_goes_on(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path, install="nothing")
    gate = Gate("too late")
    with ModelServer([gate, bash("echo > done.txt"), "Now."]) as server:
        given = command(world, server, *MAY)
        child = subprocess.Popen(**given, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        gate.wait_reached(30)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=60)
        paused = world.standing("reason")
        gate.open()
        again = {**given, "args": [BIN / "untildone", "continue"]}
        done = subprocess.run(**again, capture_output=True, check=False, timeout=120)

    assert (child.returncode, paused) == (
        22,
        ("paused", "paused", 0, "interrupted by you"),
    )
    assert (done.returncode, world.standing()) == (0, ("finished", "done", 1))
    assert done.stdout.startswith("# Receipt of loop")


def test_the_agent_of_a_run_cannot_speak_for_the_user(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path, install="nothing")
    steps: list[Step] = [bash("untildone cancel"), "Cancelled."]

    code, _, _ = run(world, steps, "--rounds", "2", *MAY)

    assert (code, world.standing()) == (10, ("paused", "out-of-rounds", 2))
