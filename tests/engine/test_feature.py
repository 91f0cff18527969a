"""The engine without any feature, and the registry that gives it its features."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from endings import RECEIPT, hide_effort
from untildone.agents.registry import AGENTS
from untildone.app import open_context
from untildone.engine.context import Context
from untildone.engine.dispatch import answer_event
from untildone.engine.feature import Feature
from untildone.engine.loop_start import begin_loop
from untildone.engine.payload import Call
from untildone.engine.request import Request, name_checks
from untildone.features.registry import FEATURES
from untildone.store.loops import Record

SESSION = "5f0c2a9e-0000-4000-8000-00000000000a"
ENVIRON = {"AI_AGENT": "claude-code_2-1-325_harness", "CLAUDE_CODE_SESSION_ID": SESSION}


@pytest.fixture
def bare(tmp_path: Path) -> Context:
    context = open_context(ENVIRON, home=str(tmp_path / "state"))
    return replace(context, features=())


def answer(context: Context, event: str, project: Path, **more: object) -> Any:  # noqa: ANN401
    call = Call(event, "claude", "settings", str(context.home))
    call.environ = ENVIRON
    common = {"session_id": SESSION, "cwd": str(project), "prompt_id": "p1"}
    call.data = {**common, "stop_hook_active": False, **more}
    text = answer_event(context, call)
    return json.loads(text) if text else None


def test_a_loop_is_held_and_done_without_any_feature(bare: Context, tmp_path: Path) -> None:
    checks = name_checks(("test -f done.txt",))
    record = begin_loop(
        bare, Request(session=SESSION, project=tmp_path, checks=checks, task="do it")
    )

    held = answer(bare, "Stop", tmp_path)
    (tmp_path / "done.txt").touch()
    released = answer(bare, "Stop", tmp_path)

    assert held["systemMessage"] == "untildone: held, round 1 of 10, unmet: check red"
    assert hide_effort(released["systemMessage"]) == (
        "untildone: done after 2 rounds: check green"
        f" | only changed files show the change | {RECEIPT}"
    )
    assert bare.loops.load(record.contract.id).progress.outcome == "done"


def test_a_prompt_starts_and_cancels_a_loop_without_any_feature(
    bare: Context, tmp_path: Path
) -> None:
    started = answer(bare, "UserPromptSubmit", tmp_path, prompt='/untildone:test --check "true"')
    cancelled = answer(bare, "UserPromptSubmit", tmp_path, prompt="/untildone:cancel")

    (loop,) = bare.loops.list_all()
    assert "holds this session until check (`true`) is met" in started["systemMessage"]
    assert "is cancelled" in json.dumps(cancelled)
    assert isinstance(loop, Record)
    assert loop.progress.outcome == "cancelled"


def test_events_that_only_features_answer_are_passed_over(bare: Context, tmp_path: Path) -> None:
    assert answer(bare, "PostToolUse", tmp_path) is None
    assert answer(bare, "PostToolBatch", tmp_path) is None
    assert answer(bare, "UserPromptSubmit", tmp_path, prompt="hello") is None


@pytest.mark.parametrize("agent", AGENTS)
def test_the_application_gives_every_agent_the_registry(tmp_path: Path, agent: str) -> None:
    assert open_context({}, home=str(tmp_path), agent=agent).features is FEATURES


def test_every_line_of_the_registry_loads_a_feature() -> None:
    loaded = [entry.load() for entry in FEATURES]

    assert all(isinstance(feature, Feature) for feature in loaded)
    assert len({id(feature) for feature in loaded}) == len(FEATURES)
