"""The five steps of docs/queue.md, followed literally: three homes, Postgres, a scripted agent."""

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from runs.queue.world import HERE, PROGRAM, Postgres, find_postgres
from tools import missing
from world import GIT_IDENTITY

PAGE = HERE.parents[2] / "docs" / "queue.md"
_BLOCK = re.compile(
    r"^```sh\n# on (?P<machine>the laptop|each build machine).*\n(?P<lines>[^`]+)^```", re.M
)
CONFIGURATION = '[checks.changelog]\ncommand = "test -s CHANGELOG"\n'


def read_blocks() -> list[tuple[str, str]]:
    """The commands of each step, with the machine they are for."""
    section = PAGE.read_text("utf-8").split("## From a laptop to several machines")[1]
    section = section.split("\n## ")[0]
    return [(found["machine"], found["lines"]) for found in _BLOCK.finditer(section)]


class Home:
    """A machine: an empty home and nothing in the environment but what reaches the others."""

    def __init__(self, folder: Path, *, server: Postgres) -> None:
        self._folder = folder
        self._state = folder / ".terminal"
        (folder / "bin").mkdir(parents=True)
        words = [sys.executable, str(HERE / "client.py"), str(folder)]
        agent = folder / "bin" / "claude"
        agent.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', encoding="utf-8")
        agent.chmod(0o755)
        address = f'[url "{folder.parent}/"]\n\tinsteadOf = git@example.org:team/\n'
        (folder / ".gitconfig").write_text(address, encoding="utf-8")
        self.environ = {
            "HOME": str(folder),
            "PATH": os.pathsep.join((str(agent.parent), str(PROGRAM.parent), "/usr/bin", "/bin")),
            # Where `db.example.org` is, and how its administrator signs in.
            "PGHOSTADDR": "127.0.0.1",
            "PGPORT": server.url.rpartition(":")[2].partition("/")[0],
            "PGUSER": "queue",
            "PGDATABASE": "postgres",
        }

    def type(self, lines: str) -> subprocess.Popen[str]:
        """Begin to run lines in a terminal that stays open: with its folder and its variables."""
        keep = '{ export -p; echo "cd $PWD"; } >'
        script = f"set -eo pipefail\n. {self._state}\n{lines}\n{keep} {self._state}\n"
        self._state.touch()
        return subprocess.Popen(
            ["bash", "-c", script],
            cwd=self._folder,
            env=self.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, lines: str, *, typed: str = "") -> str:
        output, _ = (begun := self.type(lines)).communicate(typed, timeout=100)
        assert begun.returncode == 0, f"{lines}\n{output}"
        return output


@pytest.fixture
def server() -> Iterator[Postgres]:
    if not find_postgres():
        missing("Postgres is not installed")
    server = Postgres()
    yield server
    server.close()


def make_repositories(folder: Path, laptop: Home) -> None:
    """Make the team's repository, and one that only the laptop has."""
    (folder / "laptop" / "own").mkdir()
    identity = {**laptop.environ, **GIT_IDENTITY}
    for name in ("own", "seed"):
        path = folder / "laptop" / name
        path.mkdir(exist_ok=True)
        (path / "untildone.toml").write_text(CONFIGURATION, encoding="utf-8")
        for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "Begin"]):
            subprocess.run(["git", *words], cwd=path, env=identity, check=True)
    clone = ["git", "clone", "-q", "--bare", str(path), str(folder / "app.git")]
    subprocess.run(clone, env=identity, check=True)
    laptop.run("cd own")


def test_the_steps_lead_from_a_laptop_to_three_machines(tmp_path: Path, server: Postgres) -> None:
    laptop = Home(tmp_path / "laptop", server=server)
    builders = [Home(tmp_path / name, server=server) for name in ("build-1", "build-2")]
    make_repositories(tmp_path, laptop)
    (_, one), (_, two), (_, three), (machine, four), (_, five) = read_blocks()

    assert "done" in laptop.run(one)
    assert "the tables are up to date" in laptop.run(two)
    laptop.run("cd")
    assert "added " in laptop.run(three, typed="y\n")
    assert machine == "each build machine"
    workers = [builder.type(four) for builder in builders]
    try:
        result = laptop.run(five)
    finally:
        for worker in workers:
            os.killpg(worker.pid, signal.SIGINT)
        outputs = [worker.communicate(timeout=60)[0] for worker in workers]

    assert [line[8:] for line in result.splitlines()[-2:]] == ["Write CHANGELOG", "Begin"]
    assert all("ended: drained" in output for output in outputs), outputs
    task = laptop.run("git for-each-ref --format='%(refname:lstrip=3)' refs/untildone/receipts")
    shown = laptop.run(f"untildone queue show {task.strip()}")
    assert "`untildone.toml` counts: who added the task trusts" in shown
