"""What the installed hook lines cost, with nothing to do and with a loop."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bench.table import Row, measure_medians
from untildone.agents.registry import AGENTS
from untildone.app import open_context
from untildone.core.contract import Bounds
from untildone.engine.loop_start import begin_loop
from untildone.engine.request import Request
from untildone.install.claude_lines import build_lines, build_settings_program
from untildone.install.plain_lines import build_line

# Below the 50 rounds after which any loop pauses.
ROUNDS = 40
PACKAGE = Path(__file__).parents[1] / "src" / "untildone"
SHELL = ["sh", "-c", "test -e x || exit 0"]
PYTHON = [sys.executable, "-I", "-S", "-c", "pass"]
UNITS = {"shell": "sh -c 'test -e x || exit 0'", "python": "python3 -I -S -c pass"}
WRITE: dict[str, object] = {
    "tool_name": "Write",
    "tool_input": {"file_path": "/a", "content": "x" * 2_000},
}
OURS: dict[str, object] = {"tool_name": "Bash", "tool_input": {"command": "untildone note hello"}}
DONE: dict[str, object] = {"last_assistant_message": "Done."}


class Case(NamedTuple):
    what: str
    event: str
    session: str
    payload: dict[str, object]
    unit: str
    bound: float
    agent: str = "claude"


CASES = (
    Case("nothing to do", "Stop", "idle", {}, "shell", 1.5),
    Case("nothing to do", "PreToolUse", "idle", WRITE, "shell", 1.5),
    Case("nothing to do", "PostToolUse", "idle", WRITE, "shell", 1.5),
    Case("nothing to do", "UserPromptSubmit", "idle", {"prompt": "add a button"}, "shell", 4),
    # The lines of every other client are built alike.
    Case("nothing to do, Codex", "Stop", "idle", {}, "shell", 1.5, "codex"),
    Case("nothing to do, Codex", "PreToolUse", "idle", WRITE, "shell", 1.5, "codex"),
    Case("nothing to do, Codex", "PostToolUse", "idle", WRITE, "shell", 1.5, "codex"),
    Case("loop active", "PostToolUse", "busy", WRITE, "shell", 5),
    Case("loop active", "PostToolBatch", "busy", WRITE, "shell", 5),
    Case("loop active", "PreToolUse", "busy", WRITE, "shell", 5),
    Case("loop active", "PreToolUse about us", "busy", OURS, "python", 4),
    Case("loop active", "Stop without checks", "busy", DONE, "python", 6),
)


def measure(folder: Path) -> list[Row]:
    fire = install_hooks(folder)
    actions: list[Callable[[], object]] = [lambda: run(SHELL), lambda: run(PYTHON)]
    for case in CASES:
        event = case.event.partition(" ")[0]
        actions.append(fire(case.agent, event, session=case.session, **case.payload))
    shell, python, *others = measure_medians(actions, rounds=ROUNDS)
    unit = {"shell": shell, "python": python}
    return [
        Row(f"{case.what}: {case.event}", taken / unit[case.unit], case.bound, UNITS[case.unit])
        for case, taken in zip(CASES, others, strict=True)
    ]


def install_hooks(folder: Path) -> Callable[..., Callable[[], bytes]]:
    """Hook lines as `init` writes them, and a loop of words alone in the session `busy`."""
    project, home = folder / "app", folder / "state"
    project.mkdir()
    home.mkdir(mode=0o700)
    bounds = Bounds(rounds=0, budget_usd=25)
    begin_loop(
        open_context({"HOME": str(home)}, home=str(home)),
        Request(session="busy", project=project, promises=("ALL PAGES WRITTEN",), bounds=bounds),
    )
    program = build_settings_program(home=home, python=Path(sys.executable), package=PACKAGE)
    plain = build_settings_program(
        home=home, python=Path(sys.executable), package=PACKAGE, agent="codex"
    )
    codex = AGENTS["codex"]
    commands = {
        "claude": build_lines(program),
        "codex": {event: build_line(codex, plain, event) for event in codex.LAYOUT.events},
    }

    def fire(agent: str, event: str, *, session: str, **more: object) -> Callable[[], bytes]:
        data = encode_payload(event, session, project, more)
        return lambda: run(["sh", "-c", commands[agent][event]], data, session=session)

    return fire


def encode_payload(event: str, session: str, project: Path, more: dict[str, object]) -> bytes:
    common: dict[str, object] = {
        "session_id": session,
        "transcript_path": str(project / "none.jsonl"),
        "cwd": str(project),
        "prompt_id": "p1",
        "permission_mode": "default",
        "hook_event_name": event,
    }
    return json.dumps(common | more).encode()


def run(argv: list[str], data: bytes = b"", *, session: str = "") -> bytes:
    environ = {"PATH": os.environ["PATH"], "CLAUDE_CODE_SESSION_ID": session, "HOME": "/nowhere"}
    return subprocess.run(argv, input=data, env=environ, capture_output=True, check=True).stdout
