"""The same tasks by four workers in two homes, as on two machines, and by `run --plan -j 4`."""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import mkstemp
from typing import NamedTuple

from msgspec import Struct

from bench.plan_runs import PROGRAM
from bench.queue.costs import print_costs, print_sessions
from bench.table import Row
from untildone.process.command import quote_argument
from untildone.runs.queue.address import hide_password

JOBS = 4
HOMES = ("one", "two")
# At each merge a plan runs the checks of all tasks merged so far, so a longer one slows down.
LONGEST_PLAN = 50
IDLE_SECONDS = 20
WHO = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")


class Options(Struct, frozen=True, kw_only=True):
    """`turn` is the seconds of the scripted agent; with `into` the queue merges too."""

    tasks: int = 40
    # A short turn of a real model; most are longer.
    turn: float = 3
    into: bool = False


def measure(folder: Path, url: str, options: Options) -> Iterator[Row]:
    """Compare the whole times, with the start of all processes."""
    names = [f"page-{number}" for number in range(1, options.tasks + 1)]
    client = make_client(options.turn)
    plan = time_run(folder / "plan", lambda at: run_plan(at, names, client))
    with print_costs(url, of="task", count=options.tasks):
        queue = time_run(
            folder / "queue", lambda at: run_queue(at, url, names, client, into=options.into)
        )
    what = "merged" if options.into else "pushed"
    yield Row(
        f"{options.tasks} tasks by {JOBS} workers, {what}",
        queue / plan,
        # A throughput of 0.85.
        1.17,
        f"`run --plan -j {JOBS}`, which merges",
    )
    run_idle(folder / "queue", url, client)


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
    (project / "README").write_text("pages\n", encoding="utf-8")
    for git in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "Begin")):
        subprocess.run(["git", *WHO, *git], cwd=project, check=True)


def run_plan(folder: Path, names: list[str], client: str) -> None:
    """Run the tasks in plans that are not too long."""
    for start in range(0, len(names), LONGEST_PLAN):
        part = names[start : start + LONGEST_PLAN]
        tasks = {name: {"title": f"Write {name}", "checks": [make_check(name)]} for name in part}
        plan = folder / f"TASKS-{start}.json"
        plan.write_text(json.dumps({"feature": f"bench-{start}", "tasks": tasks}), encoding="utf-8")
        options = ("-j", str(JOBS), "--client", client)
        finish(begin(folder, "state", "run", "--plan", str(plan), *options))


def run_queue(folder: Path, url: str, names: list[str], client: str, *, into: bool) -> None:
    """Add the tasks, then let the workers work until nothing is left."""
    origin, backlog = folder / "origin.git", folder / "backlog.jsonl"
    subprocess.run(["git", "clone", "-q", "--bare", folder / "project", origin], check=True)
    lines = [json.dumps({"task": f"Write {name}", "checks": [make_check(name)]}) for name in names]
    backlog.write_text("\n".join(lines), encoding="utf-8")
    merges = ("--into", "main") if into else ()
    add = ("queue", "add", "--from", str(backlog), "--repo", str(origin), *merges)
    finish(begin(folder, "one", *add, *locate(url)))
    options = ("-j", str(JOBS // len(HOMES)), "--once", "--allow-repo", "*", "--client", client)
    for worker in [begin(folder, home, "worker", *options, *locate(url)) for home in HOMES]:
        finish(worker)
    require_done(folder, url)


def require_done(folder: Path, url: str) -> None:
    listed = finish(begin(folder, "one", "queue", "list", "--all", "--json", *locate(url)))
    states = {task["state"] for task in json.loads(listed)["tasks"]}
    if states != {"done"}:
        raise RuntimeError(f"not all tasks are done: {states}")


def run_idle(folder: Path, url: str, client: str) -> None:
    """Let a worker wait for tasks, and print what that costs the database each second."""
    options = ("--allow-repo", "*", "--client", client)
    worker = begin(folder, "one", "worker", *options, *locate(url))
    time.sleep(IDLE_SECONDS / 2)
    with print_costs(url, of="second of a worker without a task", count=IDLE_SECONDS):
        time.sleep(IDLE_SECONDS)
        print_sessions(url)
    finish(begin(folder, "one", "queue", "drain", *locate(url)))
    finish(worker)


def locate(url: str) -> tuple[str, str]:
    return "--database", hide_password(url)


def make_check(name: str) -> str:
    return f"grep end {name}.txt"


def make_client(seconds: float) -> str:
    words = (sys.executable, str(Path(__file__).with_name("client.py")), str(seconds))
    return " ".join(map(quote_argument, words))


class Started(NamedTuple):
    """A program, and the file that gets its output: a full pipe would stop a worker."""

    process: subprocess.Popen[bytes]
    output: Path


def begin(folder: Path, home: str, *arguments: str) -> Started:
    environ = {**os.environ, "UNTILDONE_HOME": str(folder / home), "HOME": str(folder)}
    number, name = mkstemp(dir=folder, suffix=".log")
    with os.fdopen(number, "wb") as file:
        process = subprocess.Popen(
            [str(PROGRAM), *arguments],
            cwd=folder / "project",
            env=environ,
            stdout=file,
            stderr=file.fileno() if "--json" not in arguments else subprocess.DEVNULL,
        )
    return Started(process, Path(name))


def finish(started: Started) -> str:
    started.process.wait()
    output = started.output.read_text(encoding="utf-8", errors="replace")
    if started.process.returncode:
        raise RuntimeError(output[-2_000:])
    return output
