"""The scripted agent plays its turns and obeys its hooks as Claude Code does."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from untildone.runs.scripted_agent import Agent, Edit, Ended, ScriptEvent, Shell, Turn

DONE = Turn(says="Done.")


def hook(command: str) -> list[dict[str, Any]]:
    return [{"hooks": [{"type": "command", "command": command}]}]


def answering(answer: dict[str, Any]) -> str:
    return f"cat >/dev/null; echo '{json.dumps(answer)}'"


BLOCK = answering({"decision": "block", "reason": "go on", "systemMessage": "held"})
EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Stop",
    "SessionEnd",
)


class Scene:
    """An agent whose hooks write down what they are given."""

    def __init__(self, folder: Path, **hooks: str) -> None:
        self.project = folder / "project"
        self.project.mkdir()
        self.log = folder / "log"
        self.shown: list[ScriptEvent] = []
        commands = dict.fromkeys(EVENTS, f"cat >>{self.log}; echo >>{self.log}") | hooks
        self.settings: dict[str, Any] = {"hooks": {e: hook(c) for e, c in commands.items()}}

    def agent(self, env: dict[str, str] | None = None) -> Agent:
        settings = [self.settings, {"env": env or {}}]
        return Agent(
            self.project,
            settings=settings,
            environ=os.environ,
            session="s-1",
            show=self.shown.append,
        )

    def payloads(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]


def make_events(*pairs: tuple[str, str]) -> list[ScriptEvent]:
    return [ScriptEvent(what=what, text=text) for what, text in pairs]  # type: ignore[arg-type]  # of the table


def test_every_event_of_a_session_has_the_clients_fields(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    agent = scene.agent()

    agent.begin()
    ended = agent.prompt("go", [Turn(edits=(Edit(path="a/b", content="x"),), says="Done.")])
    agent.end()

    common = {"session_id", "transcript_path", "cwd", "hook_event_name"}
    prompted = common | {"prompt_id", "permission_mode"}
    tool = prompted | {"tool_name", "tool_input", "tool_use_id"}
    assert ended == "let go"
    assert [(payload["hook_event_name"], set(payload)) for payload in scene.payloads()] == [
        ("SessionStart", common | {"source"}),
        ("UserPromptSubmit", prompted | {"prompt"}),
        ("PreToolUse", tool),
        ("PostToolUse", tool | {"tool_response"}),
        ("PostToolBatch", prompted | {"tool_calls"}),
        (
            "Stop",
            prompted
            | {"effort", "stop_hook_active", "last_assistant_message"}
            | {"background_tasks", "session_crons"},
        ),
        ("SessionEnd", common | {"prompt_id", "reason"}),
    ]


def test_hooks_see_the_clients_variables(tmp_path: Path) -> None:
    names = ("CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID", "AI_AGENT", "MINE")
    values = " ".join(f"${name}" for name in names)
    scene = Scene(tmp_path, SessionStart=f"echo {values} >{tmp_path}/values")

    scene.agent({"MINE": "yes"}).begin()

    assert (tmp_path / "values").read_text(encoding="utf-8").split() == [
        str(scene.project),
        "s-1",
        str(os.getpid()),
        "claude-code_2-1-325_harness",
        "yes",
    ]


def test_a_held_agent_plays_its_next_turn(tmp_path: Path) -> None:
    hold = f"test -f done || {{ {BLOCK}; }}"
    scene = Scene(tmp_path, Stop=hold)

    ended = scene.agent().prompt(
        "go", [DONE, Turn(edits=(Edit(path="done", content=""),), says="Now."), DONE]
    )

    assert ended == "let go"
    assert scene.shown == make_events(
        ("prompt", "go"),
        ("says", "Done."),
        ("notice", "held"),
        ("held", "go on"),
        ("edit", "empties done"),
        ("says", "Now."),
        ("let go", ""),
    )


def test_stop_hook_active_stays_until_the_next_prompt(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.settings["hooks"]["Stop"] += hook(BLOCK)
    agent = scene.agent()

    agent.prompt("go", [DONE, Turn(edits=(Shell(command="true"),), says="Done.")])
    agent.prompt("again", [DONE])

    stops = [payload for payload in scene.payloads() if payload["hook_event_name"] == "Stop"]
    assert [stop["stop_hook_active"] for stop in stops] == [False, True, False]


@pytest.mark.parametrize(
    ("cap", "turns", "ended"),
    [
        pytest.param("2", [DONE] * 3, "overridden", id="the third hold in a row"),
        pytest.param("2", [DONE] * 2, "out of script", id="the second"),
        pytest.param("0", [DONE] * 12, "out of script", id="no cap"),
        pytest.param("", [DONE] * 9, "overridden", id="the client's own"),
        pytest.param(
            "2",
            [DONE, DONE, Turn(edits=(Shell(command="true"),), says="Done."), DONE],
            "out of script",
            id="a tool call in between",
        ),
    ],
)
def test_the_clients_cap_overrides(
    tmp_path: Path, cap: str, turns: list[Turn], ended: Ended
) -> None:
    scene = Scene(tmp_path, Stop=BLOCK)

    assert scene.agent({"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": cap}).prompt("go", turns) == ended


def test_a_denied_tool_call_is_not_carried_out(tmp_path: Path) -> None:
    deny = {"permissionDecision": "deny", "permissionDecisionReason": "not this"}
    scene = Scene(tmp_path, PreToolUse=answering({"hookSpecificOutput": deny}))

    scene.agent().prompt("go", [Turn(edits=(Edit(path="a", content="x"),), says="Done.")])

    events = [payload["hook_event_name"] for payload in scene.payloads()]
    assert events == ["UserPromptSubmit", "PostToolBatch", "Stop"]
    assert not (scene.project / "a").exists()
    assert ScriptEvent(what="refused", text="not this") in scene.shown


def test_a_failing_command_is_reported_as_a_failure(tmp_path: Path) -> None:
    scene = Scene(tmp_path)

    scene.agent().prompt("go", [Turn(edits=(Shell(command="echo no; exit 3"),), says="Done.")])

    (failure,) = [payload for payload in scene.payloads() if "error" in payload]
    assert (failure["hook_event_name"], failure["error"]) == (
        "PostToolUseFailure",
        "Exit code 3\nno",
    )


def test_a_blocked_prompt_starts_no_turn(tmp_path: Path) -> None:
    scene = Scene(tmp_path, UserPromptSubmit=BLOCK)

    assert scene.agent().prompt("go", [DONE]) == "blocked"
    assert scene.shown == make_events(("prompt", "go"), ("notice", "held"))
