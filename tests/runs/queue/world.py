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
from pathlib import Path
from typing import Any

from untildone.process.command import quote_argument
from world import Machine

HERE = Path(__file__).parent
PROGRAM = Path(sys.executable).with_name("untildone")
# Logs each ref that is pushed: what happens twice is seen twice.
_HOOK = '#!/bin/sh\nwhile read -r old new ref; do echo "$ref" >> "$GIT_DIR/pushes.log"; done\n'
_NOBODY = 65534


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
        return ["worker", "--lease", "1.5", "--client", client, "--json", *allowed, *options]

    def start_worker(
        self, *options: str, home: str = "state", kill_at: int = 0
    ) -> subprocess.Popen[str]:
        """Start a worker, one that kills itself before its Nth record if asked."""
        program = [sys.executable, str(HERE / "killed.py"), str(kill_at)] if kill_at else [PROGRAM]
        return subprocess.Popen(
            [*map(str, program), *self.worker_arguments(*options)],
            cwd=self.project,
            env=self.environ(home),
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
        return [json.loads(line) for line in output.splitlines()]

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


def require_once(world: QueueWorld, *tasks: str) -> None:
    """Each task has one branch and one receipt, pushed once, and nothing else is left."""
    branches = [f"refs/heads/untildone/{task}" for task in tasks]
    receipts = [f"refs/untildone/receipts/{task}" for task in tasks]
    assert sorted(world.pushes("refs/heads/")) == sorted(branches)
    assert sorted(world.pushes("refs/untildone/receipts/")) == sorted(receipts)
    assert sorted(world.refs()) == sorted((*branches, *receipts))


def find_postgres() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


class Postgres:
    """A server of its own on loopback, as an unprivileged user: initdb refuses root."""

    def __init__(self) -> None:
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
        self._data = str(self._folder / "data")
        options = ("-D", self._data, "-U", "queue", "--auth=trust", "-N")
        assert self._begin("initdb", *options).wait() == 0
        self.url = f"postgresql://queue@127.0.0.1:{self._port}/postgres"
        self.start()

    def start(self) -> None:
        quick = ("-c", "fsync=off", "-c", f"port={self._port}", "-c", "listen_addresses=127.0.0.1")
        self._server = self._begin("postgres", "-D", self._data, "-k", str(self._folder), *quick)
        _wait_for_port(self._port)

    def kill(self) -> None:
        """End it as a crash does: what is not written is lost, clients are cut off."""
        self._server.send_signal(signal.SIGQUIT)
        self._server.wait()

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


def _wait_for_port(port: int) -> None:
    until = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.05)
        else:
            return
