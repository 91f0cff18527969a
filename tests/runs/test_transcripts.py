"""Where the transcript of a headless conversation is found."""

import os
from pathlib import Path

import pytest

from untildone.agents.registry import AGENTS
from untildone.runs.transcripts import find_transcript

SESSION = "01a1e059-1a50-7732-8857-1a3e6c012010"


@pytest.mark.parametrize(
    ("agent", "file"),
    [
        ("codex", f".codex/sessions/2026/11/15/rollout-2026-11-15T17-54-58-{SESSION}.jsonl"),
        ("gemini", ".gemini/tmp/app/chats/session-2026-11-17T14-16-01a1e059.jsonl"),
        ("qwen", f".qwen/projects/-home-dev-app/chats/{SESSION}.jsonl"),
        ("copilot", f".copilot/session-state/{SESSION}/events.jsonl"),
    ],
)
def test_each_client_has_its_own_place(tmp_path: Path, agent: str, file: str) -> None:
    path = tmp_path / file
    layout, environ = AGENTS[agent].LAYOUT, {"HOME": str(tmp_path)}
    assert find_transcript(layout, SESSION, environ) == ""
    path.parent.mkdir(parents=True)
    path.touch()
    assert find_transcript(layout, SESSION, environ) == str(path)
    assert find_transcript(AGENTS["claude"].LAYOUT, SESSION, environ) == ""


def test_the_clients_own_folder_and_its_newest_file_count(tmp_path: Path) -> None:
    old, new = (tmp_path / f"sessions/2026/11/{day}/rollout-x-{SESSION}.jsonl" for day in (16, 15))
    for age, path in enumerate((new, old)):
        path.parent.mkdir(parents=True)
        path.touch()
        os.utime(path, (1_000 - age, 1_000 - age))
    assert find_transcript(
        AGENTS["codex"].LAYOUT, SESSION, {"HOME": "/nowhere", "CODEX_HOME": str(tmp_path)}
    ) == str(new)


@pytest.mark.parametrize("session", ["", "*", "../../x", "a/b", "[a]", "{x}"])
def test_a_session_that_is_no_name_has_no_transcript(tmp_path: Path, session: str) -> None:
    path = tmp_path / "sessions/2026/11/15/rollout-x-1.jsonl"
    path.parent.mkdir(parents=True)
    path.touch()
    environ = {"CODEX_HOME": str(tmp_path)}
    assert find_transcript(AGENTS["codex"].LAYOUT, session, environ) == ""
