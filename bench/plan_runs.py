"""Eight tasks of a plan by the scripted agent, one after another and two at once."""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

from bench.table import Row, measure_seconds
from untildone.runs.scripted_agent import Shell
from untildone.runs.scripted_client import Step, write_script

TASKS = 8
PROGRAM = Path(sys.executable).with_name("untildone")
# Each works in a folder of its task's name.
WORK = Step(edits=(Shell(command='sleep 4; echo x > "$(basename "$PWD")"'),), says="Done.")


def measure(folder: Path) -> list[Row]:
    one, two = (measure_seconds(partial(run_plan, folder / jobs, jobs)) for jobs in ("1", "2"))
    return [Row("a plan of eight tasks, `-j 2`", two / one, 0.6, "the same with `-j 1`")]


def run_plan(folder: Path, jobs: str) -> None:
    project = folder / "project"
    project.mkdir(parents=True)
    environ = {**os.environ, "UNTILDONE_HOME": str(folder / "state"), "HOME": str(folder)}
    tasks = {f"T{n}": {"title": "A file", "checks": [f"test -f T{n}"]} for n in range(TASKS)}
    plan = {"feature": "bench", "tasks": tasks}
    (project / "TASKS.json").write_text(json.dumps(plan), encoding="utf-8")
    for git in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "Begin")):
        who = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
        subprocess.run(["git", *who, *git], cwd=project, env=environ, check=True)
    client = ("--client", write_script(folder / "script.json", [WORK]))
    argv = [str(PROGRAM), "run", "--plan", "TASKS.json", "-j", jobs, *client]
    subprocess.run(argv, cwd=project, env=environ, check=True, capture_output=True)
