"""A line that is installed for one agent may be run by another client: then it answers nothing.

Copilot and Cursor read Claude Code's settings of a project, and a plugin may load in several.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hooks.world import HOOK, HookWorld
from untildone.agents.registry import AGENTS
from untildone.store.sessions import Session
from world import SESSION

TESTS = Path(__file__).parent.parent
RECORDED = {
    "claude": TESTS / "agents/claude/recorded/claude-2.1.325.jsonl",
    "codex": TESTS / "hooks/recorded/codex-0.166.0.jsonl",
    "copilot": TESTS / "agents/copilot/recorded/copilot-1.0.102.jsonl",
    "cursor": TESTS / "agents/cursor/recorded/cursor-documented.jsonl",
    "gemini": TESTS / "hooks/recorded/gemini-0.61.0.jsonl",
    "qwen": TESTS / "hooks/recorded/qwen-0.24.4.jsonl",
}
# The variable by which a client's hooks tell its session.
VARIABLES = {"gemini": "GEMINI_SESSION_ID", "qwen": "QWEN_CODE_SESSION_ID"}
STOPS = ("stop", "Stop", "agentStop", "AfterAgent")
# Nothing in these tells the two clients apart; no agent is held or started by them.
ALIKE = {
    ("claude", "codex", "SessionEnd"),
    ("codex", "claude", "session start"),
    ("codex", "claude", "session start after compaction"),
}


def read(client: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for line in RECORDED[client].read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        yield record["label"], record["stdin"]


def is_read_by_own_lines(client: str, payload: dict[str, Any]) -> bool:
    """Copilot words an event as Claude Code does if its name begins as Claude Code's does."""
    return client != "copilot" or "sessionId" in payload


@pytest.mark.parametrize("client", RECORDED)
@pytest.mark.parametrize("agent", AGENTS)
def test_each_client_is_told_from_the_others(agent: str, client: str) -> None:
    for label, payload in read(client):
        if (agent, client, label) in ALIKE:
            continue
        expected = agent == client and is_read_by_own_lines(client, payload)
        names = (VARIABLES[client],) if client in VARIABLES else ()
        environ = dict.fromkeys(names, payload.get("session_id", ""))
        assert AGENTS[agent].HOOKS.is_own(payload, environ) == expected, label


def test_the_session_of_the_environment_is_proof_enough() -> None:
    payload: dict[str, object] = {"session_id": "s", "timestamp": "a field of a later version"}
    hooks = AGENTS["claude"].HOOKS
    assert hooks.is_own(payload, {"CLAUDE_CODE_SESSION_ID": "s"})
    assert not hooks.is_own(payload, {"CLAUDE_CODE_SESSION_ID": "of an outer session"})


def run_stop(world: HookWorld, agent: str, payload: dict[str, Any]) -> str:
    command = [sys.executable, "-I", "-S", str(HOOK), "Stop", agent, "project"]
    environ = {"PATH": "/usr/bin:/bin", "CLAUDE_PROJECT_DIR": str(world.project)}
    done = subprocess.run(
        [*command, str(world.state_folder)],
        input=json.dumps(payload),
        env=environ,
        cwd=world.project,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def name_session(payload: dict[str, Any]) -> dict[str, Any]:
    key = "sessionId" if "sessionId" in payload else "session_id"
    return {**payload, key: SESSION}


@pytest.mark.parametrize("agent", AGENTS)
def test_a_stop_is_answered_to_its_own_client_alone(tmp_path: Path, agent: str) -> None:
    world = HookWorld(tmp_path)
    loop = world.start().contract.id
    Session(str(world.state_folder), agent, SESSION).bind(loop, active=True)
    others = [
        name_session(payload)
        for client in RECORDED
        for label, payload in read(client)
        if label in STOPS and not AGENTS[agent].HOOKS.is_own(payload, {})
    ]
    assert len(others) >= 4
    assert {run_stop(world, agent, payload) for payload in others} == {""}
    assert world.progress.round == 0


def test_claude_is_held_in_the_same_place(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    world.start()
    (payload,) = [payload for label, payload in read("claude") if label == "stop"]
    assert "ALL DONE" in run_stop(world, "claude", name_session(payload))
