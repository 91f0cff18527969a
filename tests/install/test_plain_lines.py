"""The hook lines of clients other than Claude Code."""

from pathlib import Path
from typing import Any

from untildone.agents.codex.trust import compute_hash
from untildone.agents.registry import AGENTS
from untildone.install.claude_lines import build_settings_program
from untildone.install.plain_lines import build_entries

# A line that changes loses the trust of every user of Codex: they must approve it again.
TRUSTED = {
    "SessionStart": "687a8799bf45",
    "UserPromptSubmit": "67c7a266843f",
    "Stop": "3188f1f7fcec",
    "PreCompact": "d43d43f01c6c",
    "SessionEnd": "c3b53412b534",
    "PreToolUse": "58ac1fe10920",
    "PostToolUse": "2ecc130931fd",
}


def test_the_lines_stay_as_codex_users_trusted_them() -> None:
    program = build_settings_program(
        home=Path("/state"), python=Path("/python"), package=Path("/untildone"), agent="codex"
    )
    groups = build_entries(AGENTS["codex"], program).hooks
    hooks = {event: _get_hook(group) for event, group in groups.items()}
    hashes = {event: compute_hash(event, {}, hook)[-12:] for event, hook in hooks.items()}
    assert hashes == TRUSTED


def _get_hook(group: dict[str, object]) -> dict[str, Any]:
    hooks = group["hooks"]
    assert isinstance(hooks, list)
    return dict(hooks[0])
