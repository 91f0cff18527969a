"""`untildone queue demo`: ten tasks, two workers, one of them killed on the way."""

import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from untildone.errors import UserError
from untildone.process.command import filter_environment, quote_argument
from untildone.process.runner import end_runs_on_signal, run
from untildone.runs.queue.address import VARIABLE, require_extra
from untildone.runs.tasks.git_answers import OUR_NAME, Git

_PAGES = ("apple", "birch", "cedar", "date", "elm", "fig", "grape", "hazel", "ivy", "juniper")
_TIMEOUT = 300.0
_LEASE = "2"
# The first worker is killed when it has done so many tasks and works on another.
_DONE_BEFORE = 2


@click.command("demo")
def demo_command() -> int:
    """Watch two workers do ten tasks with a scripted agent; one of them is killed on the way.

    Repository, queue and workers are in a temporary folder that is removed afterwards.

    \b
    untildone queue demo
    """
    require_extra()
    began = time.monotonic()
    with end_runs_on_signal(), tempfile.TemporaryDirectory(prefix="untildone-demo-") as folder:
        return _Demo(Path(folder)).play(began)


class _Demo:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._origin = folder / "origin"
        home = folder / "home"
        kept = {
            name: value
            for name, value in filter_environment(os.environ).items()
            if not name.startswith("UNTILDONE_")
        }
        home.mkdir()
        places = {"HOME": str(home), "UNTILDONE_HOME": str(home / "state")}
        self._environ = {**kept, **places}
        self._environ[VARIABLE] = str(folder / "queue.sqlite")
        self._says = threading.Lock()
        # Of the first worker: the tasks that it has done, and its process.
        self._done = 0
        self._pid = 0

    def play(self, began: float) -> int:
        self._say(
            "demo", "a repository, a queue of ten tasks, and two workers with a scripted agent"
        )
        self._make_repository()
        self._add_tasks()
        workers = [
            threading.Thread(target=self._run_worker, args=(name, look))
            for name, look in (("worker 1", self._kill_when_busy), ("worker 2", _only_look))
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return self._judge(time.monotonic() - began)

    def _make_repository(self) -> None:
        self._origin.mkdir()
        git = Git(self._origin)
        # A branch that is checked out would refuse the merges.
        git.ask("init", "-q", "--template=", "--initial-branch=nothing")
        tree = git.ask("mktree")
        commit = git.ask("commit-tree", tree, "-m", "Begin", env=OUR_NAME)
        git.ask("update-ref", "refs/heads/main", commit)

    def _add_tasks(self) -> None:
        backlog = self._folder / "backlog.jsonl"
        lines = [
            json.dumps(
                {
                    "task": f"Write the page {name}.txt: a title and a body.",
                    "checks": [f"grep -q body {name}.txt"],
                }
            )
            for name in _PAGES
        ]
        backlog.write_text("\n".join(lines) + "\n", encoding="utf-8")
        options = ("--repo", str(self._origin), "--into", "main")
        self._call("queue", "add", "--from", str(backlog), *options)

    def _call(self, *arguments: str) -> str:
        """Run one of our own commands and return its output."""
        argv = [sys.executable, "-P", "-m", "untildone", *arguments]
        output: list[bytes] = []
        ended = run(
            argv,
            cwd=self._folder,
            timeout=_TIMEOUT,
            env=self._environ,
            on_output=output.append,
        )
        text = b"".join(output).decode("utf-8", "replace")
        if ended.exit_code != 0:
            raise UserError(f"`untildone {' '.join(arguments[:2])}` failed: {ended.text.strip()}")
        return text

    def _run_worker(self, name: str, look: Callable[[dict[str, Any]], None]) -> None:
        client = f"{quote_argument(sys.executable)} -P -m untildone.runs.queue.demo_client"
        options = ("--once", "--json", "--lease", _LEASE, "-j", "2", "--client", client)
        rest = bytearray()

        def read(data: bytes) -> None:
            rest.extend(data)
            *lines, last = bytes(rest).split(b"\n")
            rest[:] = last
            for line in lines:
                event = json.loads(line)
                self._tell(name, event)
                look(event)

        argv = [sys.executable, "-P", "-m", "untildone", "worker", *options]
        run(argv, cwd=self._folder, timeout=_TIMEOUT, env=self._environ, on_output=read)

    def _kill_when_busy(self, event: dict[str, Any]) -> None:
        """Kill the first worker in the middle of a round."""
        if event["event"] == "worker-started":
            self._pid = int(event["pid"])
        self._done += event["event"] == "task-ended"
        if event["event"] == "judged" and self._done >= _DONE_BEFORE:
            self._done = -len(_PAGES)
            os.kill(self._pid, signal.SIGKILL if os.name != "nt" else signal.SIGTERM)
            self._say("demo", "kills worker 1 (kill -9)")

    def _tell(self, name: str, event: dict[str, Any]) -> None:
        match event["event"]:
            case "task-taken" if event["is_taken_over"]:
                self._say(name, f"goes on with {event['task']} where the other one left it")
            case "task-taken":
                self._say(name, f"took {event['task']}: {event['title']}")
            case "task-ended":
                result = event["branch"] or f"{event['outcome']}, {event['reason']}"
                self._say(name, f"{event['task']} is {event['state']}: {result}")
            case "task-merged":
                self._say(name, f"merged {event['task']} into main: {event['commit'][:12]}")
            case "worker-buried":
                self._say(name, f"hears nothing of {event['worker']} any more")
            case _:
                pass

    def _say(self, speaker: str, text: str) -> None:
        with self._says:
            click.echo(f"{speaker:<9} {text}")

    def _judge(self, seconds: float) -> int:
        """Compare the queue with the repository: each task done, with one merge and receipt."""
        listed = json.loads(self._call("queue", "list", "--all", "--json"))
        tasks = listed["tasks"]
        git = Git(self._origin)
        found = git.ask("for-each-ref", "--format=%(refname)").split()
        wanted = [f"refs/heads/{task['branch']}" for task in tasks]
        wanted += [f"refs/untildone/receipts/{task['id']}" for task in tasks]
        merges = git.ask("rev-list", "--first-parent", "--merges", "refs/heads/main").split()
        is_done = sorted(task["merge"] for task in tasks) == sorted(merges)
        if is_done and sorted(found) == sorted((*wanted, "refs/heads/main")):
            self._say("demo", f"ten tasks, ten merges, ten receipts, in {seconds:.0f} s")
            return 0
        self._say("demo", f"it did not go as expected: {', '.join(sorted(found))}")
        return 1


def _only_look(_event: dict[str, Any]) -> None:
    """Let the second worker live."""
