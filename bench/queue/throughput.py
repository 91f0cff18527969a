"""The same tasks by four workers in two homes, as on two machines, and by `run --plan -j 4`."""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bench.plan_runs import PROGRAM
from bench.queue.databases import Create
from bench.table import Row
from untildone.process.command import quote_argument
from untildone.runs.queue.address import hide_password

JOBS = 4
HOMES = ("one", "two")
# Of a scripted agent, so short that our own work shows.
TURN_SECONDS = 1
# At each merge a plan runs the checks of all tasks merged so far, so a longer one slows down.
LONGEST_PLAN = 50
WHO = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")


def measure(folder: Path, create: Create, *, tasks: int, into: bool = False) -> Row:
    """Compare the whole times; with `into`, the queue merges too."""
    names = [f"page-{number}" for number in range(1, tasks + 1)]
    plan = time_run(folder / "plan", lambda folder: run_plan(folder, names))
    url = create("throughput")
    queue = time_run(folder / "queue", lambda folder: run_queue(folder, url, names, into=into))
    what = "merged" if into else "pushed, not merged"
    return Row(
        f"{tasks} tasks, {JOBS} workers, {what}", queue / plan, 1.17, f"`run --plan -j {JOBS}`"
    )


def time_run(folder: Path, run: Callable[[Path], None]) -> float:
    """Return the seconds; print them with those of the processors."""
    make_project(folder / "project")
    before, began = measure_processors(), time.perf_counter()
    run(folder)
    seconds = time.perf_counter() - began
    print(f"({folder.name}: {seconds:.1f} s, processors {measure_processors() - before:.1f} s)")
    return seconds


def measure_processors() -> float:
    """Return the seconds that ended child processes have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def make_project(project: Path) -> None:
    project.mkdir(parents=True)
    (project / "page-0.txt").write_text("page\nend\n", encoding="utf-8")
    for git in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "Begin")):
        subprocess.run(["git", *WHO, *git], cwd=project, check=True)


def run_plan(folder: Path, names: list[str]) -> None:
    """Run the tasks in plans that are not too long."""
    for start in range(0, len(names), LONGEST_PLAN):
        part = names[start : start + LONGEST_PLAN]
        tasks = {name: {"title": f"Write {name}", "checks": [make_check(name)]} for name in part}
        plan = folder / f"TASKS-{start}.json"
        plan.write_text(json.dumps({"feature": "bench", "tasks": tasks}), encoding="utf-8")
        options = ("-j", str(JOBS), *list_client_options())
        finish(begin(folder, "state", "run", "--plan", str(plan), *options))


def run_queue(folder: Path, url: str, names: list[str], *, into: bool) -> None:
    """Add the tasks, then let the workers work until nothing is left."""
    origin, backlog = folder / "origin.git", folder / "backlog.jsonl"
    subprocess.run(["git", "clone", "-q", "--bare", folder / "project", origin], check=True)
    lines = [json.dumps({"task": f"Write {name}", "checks": [make_check(name)]}) for name in names]
    backlog.write_text("\n".join(lines), encoding="utf-8")
    where = ("--database", hide_password(url))
    merges = ("--into", "main") if into else ()
    add = ("queue", "add", "--from", str(backlog), "--repo", str(origin), *merges, *where)
    finish(begin(folder, "one", *add))
    options = ("--once", "--allow-repo", "*", *list_client_options(), *where)
    each = str(JOBS // len(HOMES))
    for worker in [begin(folder, home, "worker", "-j", each, *options) for home in HOMES]:
        finish(worker)


def make_check(name: str) -> str:
    return f"grep end {name}.txt"


def list_client_options() -> tuple[str, str]:
    words = (sys.executable, str(Path(__file__).with_name("client.py")), str(TURN_SECONDS))
    return "--client", " ".join(map(quote_argument, words))


def begin(folder: Path, home: str, *arguments: str) -> subprocess.Popen[str]:
    environ = {**os.environ, "UNTILDONE_HOME": str(folder / home), "HOME": str(folder)}
    return subprocess.Popen(
        [str(PROGRAM), *arguments],
        cwd=folder / "project",
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> None:
    output, _ = process.communicate()
    if process.returncode:
        raise RuntimeError(output[-2_000:])
