"""What the hooks cost, as ratios from one interleaved run: `make bench`."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from untildone.install.commands import lines, settings_program
from untildone.judge.context import context
from untildone.judge.start import Request, begin

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "40"))
PACKAGE = Path(__file__).parents[1] / "src" / "untildone"
SHELL = ["sh", "-c", "test -e x || exit 0"]
PYTHON = [sys.executable, "-I", "-S", "-c", "pass"]


def payload(event: str, session: str, project: Path, **more: object) -> bytes:
    common = {
        "session_id": session,
        "transcript_path": str(project / "none.jsonl"),
        "cwd": str(project),
        "prompt_id": "p1",
        "permission_mode": "default",
        "hook_event_name": event,
    }
    return json.dumps({**common, **more}).encode()


def main() -> None:
    with tempfile.TemporaryDirectory() as top:
        project = Path(top) / "app"
        project.mkdir()
        home = Path(top) / "state"
        table = rows(home, project)
        print_table(table)


def rows(home: Path, project: Path) -> list[tuple[str, str, float, float]]:
    home.mkdir(mode=0o700)
    begin(
        context({"HOME": str(home)}, home=str(home)),
        Request(session="busy", project=project, promises=("ALL PAGES WRITTEN",), bounds=BOUNDS),
    )
    program = settings_program(home=home, python=Path(sys.executable), package=PACKAGE)
    commands = lines(program)
    write: dict[str, object] = {
        "tool_name": "Write",
        "tool_input": {"file_path": "/a", "content": "x" * 2_000},
    }
    ours: dict[str, object] = {
        "tool_name": "Bash",
        "tool_input": {"command": "untildone note hello"},
    }
    cases: list[tuple[str, str, str, dict[str, object], str, float]] = [
        ("nothing to do", "Stop", "idle", {}, "shell", 1.5),
        ("nothing to do", "PreToolUse", "idle", write, "shell", 1.5),
        ("nothing to do", "PostToolUse", "idle", write, "shell", 1.5),
        ("nothing to do", "UserPromptSubmit", "idle", {"prompt": "add a button"}, "shell", 4),
        ("active", "PostToolUse", "busy", write, "shell", 5),
        ("active", "PreToolUse", "busy", write, "shell", 5),
        ("active, about us", "PreToolUse", "busy", ours, "python", 4),
        ("active, no checks", "Stop", "busy", {"last_assistant_message": "Done."}, "python", 6),
    ]
    runs: list[Callable[[], float]] = [lambda: timed(SHELL, b""), lambda: timed(PYTHON, b"")]
    for _, event, session, more, _, _ in cases:
        data = payload(event, session, project, **more)
        runs.append(
            lambda command=commands[event], session=session, data=data: timed(  # type: ignore[misc]
                ["sh", "-c", command], data, session=session
            )
        )
    medians = interleaved(runs)
    units = {"shell": medians[0], "python": medians[1]}
    return [
        (f"{what}: {event}", unit, medians[number] / units[unit], bound)
        for number, (what, event, _, _, unit, bound) in enumerate(cases, 2)
    ]


def timed(argv: list[str], data: bytes, *, session: str = "") -> float:
    environ = {"PATH": os.environ["PATH"], "CLAUDE_CODE_SESSION_ID": session, "HOME": "/nowhere"}
    began = time.perf_counter()
    subprocess.run(argv, input=data, env=environ, capture_output=True, check=True)
    return time.perf_counter() - began


def interleaved(runs: list[Callable[[], float]]) -> list[float]:
    """Each in turn, many times over: what disturbs the machine disturbs them all alike."""
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(ROUNDS):
        for number, run in enumerate(runs):
            times[number].append(run())
    return [statistics.median(each) for each in times]


def print_table(table: list[tuple[str, str, float, float]]) -> None:
    units = {"shell": "sh -c 'test -e x || exit 0'", "python": "python3 -I -S -c pass"}
    print(f"{'event':<36} {'ratio':>6} {'bound':>6}  times")
    for name, unit, ratio, bound in table:
        mark = "" if ratio <= bound else "  OVER"
        print(f"{name:<36} {ratio:>6.2f} {bound:>6.1f}  {units[unit]}{mark}")


if __name__ == "__main__":
    from untildone.loop.model import Bounds

    BOUNDS = Bounds(rounds=0, budget_usd=25)
    main()
