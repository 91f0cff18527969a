"""A bare repository, a queue, and `untildone` called as submitters and workers call it."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from untildone.process.command import quote_argument
from untildone.runs.queue.address import find_url
from untildone.runs.queue.database import open_database
from untildone.runs.queue.task_queue import TaskQueue
from world import Machine

HERE = Path(__file__).parent
PROGRAM = Path(sys.executable).with_name("untildone")
# Logs each ref that is pushed: what happens twice is seen twice.
_HOOK = '#!/bin/sh\nwhile read -r old new ref; do echo "$ref" >> "$GIT_DIR/pushes.log"; done\n'
_NOBODY = 65534
STEPS = ["fetch", "work", "verify", "push"]


class QueueWorld(Machine):
    def __init__(self, folder: Path, *, database: str = "") -> None:
        super().__init__(folder)
        self.remote = folder / "origin.git"
        self.database = database or str(folder / "queue.sqlite")
        self.git("init", "-q", "-b", "main")
        (self.project / "README").write_text("pay\n", encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "Begin")
        self.git("clone", "-q", "--bare", str(self.project), str(self.remote))
        hook = self.remote / "hooks" / "post-receive"
        hook.write_text(_HOOK, encoding="utf-8")
        hook.chmod(0o755)

    def environ(self, home: str = "state") -> dict[str, str]:
        kept = {
            name: text
            for name, text in os.environ.items()
            if name in ("PATH", "SYSTEMROOT") or name.startswith("COVERAGE_")
        }
        return {
            **kept,
            "HOME": str(self.folder),
            "UNTILDONE_HOME": str(self.folder / home),
            "UNTILDONE_DATABASE": self.database,
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    def run(self, *arguments: str, home: str = "state") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [PROGRAM, *arguments],
            cwd=self.project,
            env=self.environ(home),
            capture_output=True,
            text=True,
            check=False,
        )

    def answer(self, *arguments: str) -> Any:  # noqa: ANN401  any JSON
        ran = self.run("queue", *arguments, "--json")
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout)

    def add(self, name: str, *options: str, rounds: int = 1, more: str = "") -> str:
        text = f"Write {name} in {rounds} rounds{more}"
        check = f"grep end {name}"
        repo = ("--repo", str(self.remote), "--check", check)
        ids = self.answer("add", text, *repo, *options)["ids"]
        return str(ids[0])

    def worker_arguments(self, *options: str) -> list[str]:
        words = (sys.executable, str(HERE / "client.py"), str(self.folder))
        client = " ".join(map(quote_argument, words))
        allowed = ("--allow-repo", "*") if "://" in self.database else ()
        lease = () if "--lease" in options else ("--lease", "2.5")
        return ["worker", *lease, "--client", client, "--json", *allowed, *options]

    def start_worker(
        self,
        *options: str,
        home: str = "state",
        kill_at: int = 0,
        prefix: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[str]:
        """Start a worker, one that kills itself before its Nth record if asked.

        `prefix` is a command that starts it elsewhere.
        """
        program = [sys.executable, str(HERE / "killed.py"), str(kill_at)] if kill_at else [PROGRAM]
        return subprocess.Popen(
            [*prefix, *map(str, program), *self.worker_arguments(*options)],
            cwd=self.project,
            env={**self.environ(home), **(environ or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def work(self, *options: str, home: str = "state", kill_at: int = 0) -> list[dict[str, Any]]:
        """Run a worker to its end and return its events."""
        worker = self.start_worker("--once", *options, home=home, kill_at=kill_at)
        try:
            output, errors = worker.communicate(timeout=100)
        finally:
            worker.kill()
        assert worker.returncode == (-9 if kill_at else 0), (worker.returncode, output, errors)
        assert not errors, errors
        return read_events(output)

    def calls(self) -> list[str]:
        log = self.folder / "calls.log"
        return log.read_text(encoding="utf-8").splitlines() if log.exists() else []

    def pushes(self, prefix: str) -> list[str]:
        """The pushes to branches or receipts, with their repetitions."""
        log = self.remote / "pushes.log"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        return [line for line in lines if line.startswith(prefix)]

    def refs(self) -> list[str]:
        listed = self.git("--git-dir", str(self.remote), "for-each-ref", "--format=%(refname)")
        return [ref for ref in listed.splitlines() if ref != "refs/heads/main"]

    def merges(self) -> list[str]:
        """The tasks merged into the main branch, with their repetitions."""
        words = ("log", "--first-parent", "--merges", "--format=%B", "main")
        lines = self.git("--git-dir", str(self.remote), *words).splitlines()
        return [line.split()[1] for line in lines if line.startswith("Untildone-Task:")]

    def wait_for_call(self, count: int = 1) -> None:
        until = time.monotonic() + 60
        while len(self.calls()) < count:
            assert time.monotonic() < until
            time.sleep(0.05)

    def wait_for_file(self, name: str) -> None:
        until = time.monotonic() + 60
        while not (self.folder / name).exists():
            assert time.monotonic() < until
            time.sleep(0.05)


def require_once(world: QueueWorld, *tasks: str, kills: int = 0) -> None:
    """Require that each task has ended once: what every fault must come to.

    One branch and one receipt, pushed once, one merge if it has a target, and nothing else is left;
    each step recorded once, no recorded round repeated; each kill costs at most one step and one
    call of the agent more.
    """
    branches = [f"refs/heads/untildone/{task}" for task in tasks]
    receipts = [f"refs/untildone/receipts/{task}" for task in tasks]
    assert sorted(world.pushes("refs/heads/untildone/")) == sorted(branches)
    assert sorted(world.pushes("refs/untildone/receipts/")) == sorted(receipts)
    assert sorted(world.refs()) == sorted((*branches, *receipts))
    rounds = repeated = 0
    merged = []
    engine = open_database(find_url(world.database, home=world.folder, environ={}))
    for task in tasks:
        shown = TaskQueue(engine, str).show(task)
        assert (shown.task.state, shown.task.outcome) == ("done", "done"), shown
        names = [step.name for step in shown.steps if step.name != "taken"]
        end = "merged" if shown.task.into else "done"
        assert (names[-1], names.count(end)) == (end, 1)
        merged += [task] if shown.task.into else []
        done = [name for name in names if name.startswith("round ")]
        assert done == [f"round {number}" for number in range(1, shown.rounds + 1)]
        assert _list_workflow_steps(engine, f"{task}.{shown.task.attempt}") == STEPS
        rounds += len(done)
        # A step that was repeated was not recorded: its worker died before that.
        repeated += sum(names.count(step) - 1 for step in STEPS)
    engine.dispose()
    assert sorted(world.merges()) == sorted(merged)
    assert repeated <= kills
    assert rounds <= len(world.calls()) <= rounds + kills, world.calls()


def _list_workflow_steps(engine: sa.Engine, workflow: str) -> list[str]:
    schema = "" if engine.dialect.name == "sqlite" else "dbos."
    listed = (
        f"SELECT function_name FROM {schema}operation_outputs"  # noqa: S608  both are ours
        " WHERE workflow_uuid = :name ORDER BY function_id"
    )
    with engine.connect() as connection:
        return list(connection.execute(sa.text(listed), {"name": workflow}).scalars())


def read_events(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def find_postgres() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


class Postgres:
    """A server of its own on loopback, as an unprivileged user: initdb refuses root."""

    def __init__(self, address: str = "127.0.0.1") -> None:
        programs = find_postgres()
        assert programs
        self._programs = programs
        self._user = _NOBODY if os.geteuid() == 0 else None
        self._folder = Path(tempfile.mkdtemp(prefix="untildone-pg-"))
        if self._user:
            os.chown(self._folder, self._user, self._user)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self._address = address
        self._data = self._folder / "data"
        options = ("-D", str(self._data), "-U", "queue", "--auth=trust", "-N")
        assert self._begin("initdb", *options).wait() == 0
        with (self._data / "pg_hba.conf").open("a", encoding="utf-8") as rules:
            rules.write(f"host all all {address}/30 trust\n")
        self.url = f"postgresql://queue@{address}:{self._port}/postgres"
        self.start()

    def start(self) -> None:
        listen = f"listen_addresses={self._address}"
        quick = ("-c", "fsync=off", "-c", f"port={self._port}", "-c", listen)
        folders = ("-D", str(self._data), "-k", str(self._folder))
        self._server = self._begin("postgres", *folders, *quick)
        _wait_for_port(self._address, self._port)
        # It answers on its port before it lets anybody in.
        while self._begin("pg_isready", "-h", self._address, "-p", str(self._port)).wait():
            time.sleep(0.05)

    def send_signal(self, number: signal.Signals) -> None:
        """Send it to the server and to all of its processes."""
        children = Path(f"/proc/{self._server.pid}/task/{self._server.pid}/children").read_text()
        for pid in (self._server.pid, *map(int, children.split())):
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill(self) -> None:
        """End it without a word: what is not written is lost, clients are cut off."""
        self.send_signal(signal.SIGKILL)
        self._server.wait()
        # The new one refuses to start beside processes of the old one.
        time.sleep(0.2)

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _begin(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [str(self._programs / program), *arguments],
            user=self._user,
            group=self._user,
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def _wait_for_port(address: str, port: int) -> None:
    until = time.monotonic() + 60
    while True:
        try:
            socket.create_connection((address, port), timeout=1).close()
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.05)
        else:
            return
