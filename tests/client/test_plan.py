"""Plans with the real client: a feature task by task, verified by a subagent that cannot edit."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from client.script import Call, Gate, Step, bash
from client.test_interactive import sitting_at, wait_until_ended
from client.world import ClientWorld

pytestmark = pytest.mark.client

HELP = "The help names the option"


def task(file: str, *needs: str, criteria: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "title": f"Write {file}",
        "status": "not_started",
        "points": 2,
        "depends_on": list(needs),
        "prd_refs": ["REQ-001"],
        "acceptance_criteria": [f"`test -f {file}` exits 0", *criteria],
        "prompt": f"Write {file}.",
    }


PLAN = {
    "feature": "notes",
    "tasks": {
        "TASK-001": task("one.txt"),
        "TASK-002": task("two.txt", "TASK-001", criteria=(HELP,)),
        "TASK-003": task("three.txt", "TASK-002"),
    },
}


def make_world(tmp_path: Path, install: str = "settings") -> ClientWorld:
    world = ClientWorld(tmp_path, install=install)
    file = world.project / ".shipspec" / "planning" / "notes" / "TASKS.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(PLAN), encoding="utf-8")
    return world


def verifier(world: ClientWorld) -> Call:
    name = "untildone:task-verifier" if world.install == "plugin" else "untildone-task-verifier"
    return Call(
        "Agent",
        {
            "description": "verify",
            "prompt": "verify the task",
            "subagent_type": name,
            "run_in_background": False,
        },
    )


def verify(task_id: str, result: str, *more: str) -> str:
    return shlex.join(("untildone", "verify", task_id, "--result", result, *more))


# The first and the last task are reported by the agent itself, the second by its verifier.
def script_task(world: ClientWorld) -> tuple[list[Step], list[Step]]:
    agent: list[Step] = [
        *(bash(f"touch one.txt; {verify('TASK-001', 'VERIFIED')}"), "Done."),
        *(bash("touch two.txt"), verifier(world), "Done."),
        *(bash("echo --option > help.txt"), verifier(world), "Done."),
        *(bash("touch three.txt"), "Done."),
        *(bash(verify("TASK-003", "VERIFIED")), "Done."),
        *(bash(verify("feature", "VERIFIED", "--met", "REQ-001 is implemented", "seen")), "Done."),
    ]
    subagent: list[Step] = [
        *(bash(verify("TASK-002", "INCOMPLETE", "--missing", HELP, "no help")), "Not yet."),
        *(bash(verify("TASK-002", "VERIFIED", "--met", HELP, "in help.txt")), "It holds."),
    ]
    return agent, subagent


def statuses(world: ClientWorld) -> list[str]:
    found = json.loads(world.untildone("plan", "show", "--json").stdout)
    return [task["status"] for task in found["tasks"]]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("install", ["settings", "plugin"])
def test_a_feature_is_built_through_an_incomplete_task_and_a_retry(
    tmp_path: Path, install: str
) -> None:
    world = make_world(tmp_path, install)
    agent, subagent = script_task(world)

    result, server = world.run(
        agent, "/untildone:implement-feature notes", subagents=subagent, limit=240
    )

    said = "\n".join(text for texts in world.told(server) for text in texts)
    assert f"Missing, by the verifier:\n- {HELP}: no help" in said
    assert statuses(world) == ["completed"] * 3
    ended = [(loop["outcome"], loop["round"]) for loop in reversed(world.loops())]
    assert ended == [("done", 1), ("done", 2), ("done", 2), ("done", 1)]
    assert "untildone: done after 1 round" in result.notices[-1]
    assert set(server.subagent_requests[0].tools) <= {"Read", "Grep", "Glob", "Bash"}


def test_a_typed_task_is_held_and_given_back_when_it_is_cancelled(tmp_path: Path) -> None:
    world = make_world(tmp_path)
    thinking = Gate("two")
    with sitting_at(world, ["one", thinking, "three"]) as (terminal, _):
        terminal.submit("/untildone:implement-task TASK-001 notes")
        thinking.wait_reached()
        held = (statuses(world), world.status()["round"])
        terminal.submit("stop")
        wait_until_ended(world, "cancelled")
        # The loop ends first, then its task is given back.
        terminal.wait_for("is cancelled")

    assert held == (["in_progress", "not_started", "not_started"], 1)
    assert statuses(world) == ["not_started"] * 3
