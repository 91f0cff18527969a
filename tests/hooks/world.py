"""The lean entry as the client calls it: a real process, isolated, with a payload on stdin."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import untildone
from untildone.core.contract import Bounds
from untildone.store.loops import Record
from world import SESSION, Baseline, World

HOOK = Path(untildone.__file__).parent / "hooks"
MEASURED = Path(__file__).with_name("measured.py")
EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "SubagentStop",
    "ConfigChange",
    "PreCompact",
    "SessionEnd",
    "StatusLine",
    "SomethingNew",
)
MEGABYTE = 1024


class Answer(NamedTuple):
    exit_code: int
    stdout: bytes
    stderr: bytes
    peak: int

    @property
    def json(self) -> Any:  # noqa: ANN401  whatever was answered
        return json.loads(self.stdout) if self.stdout.strip() else None


class HookWorld(World):
    """A world whose hooks are called as the client calls them; its loop has a promise."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.report = folder / "report"

    def start(self, *, baseline: Baseline = "none", **fields: Any) -> Record:  # noqa: ANN401
        defaults: dict[str, Any] = {
            "checks": (),
            "promises": ("ALL DONE",),
            "bounds": Bounds(rounds=0),
            "task": "write the pages",
        }
        return super().start(baseline=baseline, **{**defaults, **fields})

    def payload(self, event: str, **more: object) -> bytes:
        fields = {
            "session_id": SESSION,
            "hook_event_name": event,
            "cwd": str(self.project),
            "prompt_id": "p1",
            "stop_hook_active": False,
            "last_assistant_message": "Done.",
            **more,
        }
        return json.dumps(fields).encode()

    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.project.parent),
            "CLAUDE_CODE_SESSION_ID": SESSION,
            "CLAUDE_PROJECT_DIR": str(self.project),
            "AI_AGENT": "claude-code_2-1-325_harness",
        }

    def command(self, event: str) -> list[str]:
        return [
            *(sys.executable, "-I", "-S", str(HOOK)),
            *(event, "claude", "settings", str(self.state_folder)),
        ]

    def run_hook(
        self,
        event: str,
        stdin: bytes | int | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        limit: float = 60,
    ) -> Answer:
        """The answer to one event; `stdin` is the payload, or a descriptor to read it from."""
        data = self.payload(event) if stdin is None else stdin
        measured = [sys.executable, "-I", "-S", str(MEASURED), str(self.report)]
        done = subprocess.run(
            [*measured, *self.command(event)],
            input=data if isinstance(data, bytes) else None,
            stdin=None if isinstance(data, bytes) else data,
            cwd=self.project,
            env=self.environment() if environ is None else environ,
            capture_output=True,
            timeout=limit,
            check=False,
        )
        exit_code, peak = self.report.read_text(encoding="ascii").split()
        return Answer(int(exit_code), done.stdout, done.stderr, int(peak))
