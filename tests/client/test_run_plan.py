"""`untildone run --plan` around the real client: a feature, task by task, unattended."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from client.harness import claude_binary
from client.model_server import ModelServer
from client.script import Step, bash
from client.test_plan import HELP, PLAN, verifier, verify
from client.world import BIN, ClientWorld

pytestmark = pytest.mark.client

WORK = "untildone/notes"


def make_world(tmp_path: Path, plan: dict[str, Any] = PLAN) -> ClientWorld:
    world = ClientWorld(tmp_path)
    (world.project / "TASKS.json").write_text(json.dumps(plan), encoding="utf-8")
    world.git("add", "-A")
    world.git("commit", "-qm", "plan")
    return world


def git(world: ClientWorld, *arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments],
        cwd=world.project,
        env=world.environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def checkout(world: ClientWorld) -> tuple[str, str, str]:
    """What the user has before them."""
    return (
        git(world, "rev-parse", "HEAD"),
        git(world, "status", "--porcelain", "--ignored"),
        (world.project / "TASKS.json").read_text(encoding="utf-8"),
    )


def run(
    world: ClientWorld, steps: Sequence[Step], subagents: Sequence[Step]
) -> tuple[int, dict[str, Any], str]:
    """The exit code, how the plan ended, and all that was said to the model."""
    with ModelServer(steps, subagents=subagents) as server:
        environment = world.client(server).environment
        path = os.pathsep.join((str(claude_binary().parent), environment["PATH"]))
        done = subprocess.run(
            [
                *(BIN / "untildone", "run", "--plan", "TASKS.json", "--json"),
                *("--", "--allowedTools", "Bash,Agent"),
            ],
            cwd=world.project,
            env={**environment, "PATH": path, "CLAUDE_CODE_MAX_RETRIES": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )
    assert not done.stderr, done.stderr
    said = "\n".join(text for texts in server.reached_model for text in texts)
    return done.returncode, json.loads(done.stdout.splitlines()[-1]), said


def summarize_tasks(end: dict[str, Any]) -> list[tuple[str, str, int, int]]:
    return [(each["step"], each["outcome"], each["rounds"], each["calls"]) for each in end["tasks"]]


@pytest.mark.timeout(300)
def test_a_feature_is_built_through_an_incomplete_task_and_a_retry(tmp_path: Path) -> None:
    world = make_world(tmp_path)
    before = checkout(world)
    agent: list[Step] = [
        *(bash("touch one.txt"), "Done."),
        *(bash("touch two.txt"), verifier(world), "Done."),
        *(bash("echo --option > help.txt"), verifier(world), "Done."),
        *(bash("touch three.txt"), "Done."),
    ]
    subagent: list[Step] = [
        *(bash(verify("TASK-002", "INCOMPLETE", "--missing", HELP, "no help")), "Not yet."),
        *(bash(verify("TASK-002", "VERIFIED", "--met", HELP, "in help.txt")), "It holds."),
    ]

    code, end, said = run(world, agent, subagent)

    once, twice = ("merged", "done", 1, 1), ("merged", "done", 2, 2)
    assert (code, end["outcome"], summarize_tasks(end)) == (0, "done", [once, twice, once])
    assert f"Missing, by the verifier:\n- {HELP}: no help" in said
    files = git(world, "ls-tree", "--name-only", WORK).split()
    assert files == ["TASKS.json", "help.txt", "one.txt", "readme.txt", "three.txt", "two.txt"]
    plan = json.loads(git(world, "show", f"{WORK}:TASKS.json"))
    assert [task["status"] for task in plan["tasks"].values()] == ["completed"] * 3
    assert checkout(world) == before


@pytest.mark.timeout(300)
def test_what_a_verifier_calls_misaligned_pauses_its_task_and_what_needs_it(
    tmp_path: Path,
) -> None:
    world = make_world(tmp_path)
    why = verify("TASK-001", "MISALIGNED", "--reason", "the PRD asks for a queue")

    code, end, _ = run(world, [bash("touch one.txt"), verifier(world), "Done."], [bash(why), "No."])

    paused, waits = ("ended", "blocked", 1, 1), ("waiting", None, 0, 0)
    assert (code, end["outcome"], summarize_tasks(end)) == (14, "blocked", [paused, waits, waits])
    assert end["reason"] == "TASK-001: MISALIGNED: the PRD asks for a queue"
    assert git(world, "rev-parse", WORK) == git(world, "rev-parse", "main")
