"""What comes next in a long plan."""

import json
import subprocess
import sys
from pathlib import Path

from bench.table import Row, measure_medians

TASKS = 10_000
PROGRAM = Path(sys.executable).with_name("untildone")


def measure(folder: Path) -> list[Row]:
    path = write_plan(folder / "TASKS.json")
    loading = [sys.executable, "-c", f"import json; json.load(open({str(path)!r}))"]
    asking = [str(PROGRAM), "plan", "next", "--plan", str(path), "--json"]
    load, ask = measure_medians(
        [lambda: run_quietly(loading), lambda: run_quietly(asking)], rounds=15
    )
    return [Row("`plan next` of 10,000 tasks", ask / load, 3, "a Python that loads the file")]


def run_quietly(argv: list[str]) -> None:
    subprocess.run(argv, check=True, capture_output=True)


def write_plan(path: Path) -> Path:
    tasks = {f"TASK-{number:05d}": make_task(number) for number in range(TASKS)}
    path.write_text(json.dumps({"feature": "long", "tasks": tasks}, indent=2), encoding="utf-8")
    return path


def make_task(number: int) -> dict[str, object]:
    return {
        "title": f"Task {number}",
        "status": "completed" if number < TASKS // 2 else "not_started",
        "points": 3,
        "depends_on": [f"TASK-{number - 1:05d}"] if number % 7 else [],
        "acceptance_criteria": ["The page answers", "`npm test` exits 0"],
        "testing": ["Run tests: npm test"],
        "prompt": "Write it, then try it. " * 8,
    }
