"""Secrets of a worker's machine do not enter the database, whichever way they try."""

import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path

from runs.queue.world import HERE, QueueWorld

# Known by the name of the variable alone, and as the name in an address.
OPAQUE = "correct-horse-9-battery"
LOGIN = "staple-of-a-login"


class LeakyWorld(QueueWorld):
    def environ(self, home: str = "state") -> dict[str, str]:
        return {**super().environ(home), "DEPLOY_TOKEN": OPAQUE}

    def push(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "Change")
        self.git("push", "-q", str(self.remote), "main")

    def dump(self) -> str:
        """Everything in the database, the tables of dbos included."""
        connection = sqlite3.connect(self.database)
        text = "\n".join(connection.iterdump())
        connection.close()
        return text


def test_secrets_in_outputs_reasons_and_errors_are_not_stored(tmp_path: Path) -> None:
    world = LeakyWorld(tmp_path)
    rewritten = f'[url "http://{LOGIN}@127.0.0.1:1/"]\n\tinsteadOf = https://host.example/\n'
    (tmp_path / ".gitconfig").write_text(rewritten, encoding="utf-8")
    world.write("check", f"echo saying {OPAQUE}; grep end a && test ! -e {tmp_path}/red\n")
    world.push()
    # The commit of the finished work makes the check red, so that its output is a reason.
    hook = world.remote / "hooks" / "update"
    hook.write_text(f'#!/bin/sh\ncase "$1" in *-end) touch {tmp_path}/red;; esac\n', "utf-8")
    hook.chmod(0o755)
    repo = ("--repo", str(world.remote))
    world.answer("add", "Write a in 2 rounds", *repo, "--check", "sh check")
    world.answer("add", "x", "--repo", "https://host.example/app.git")
    agent = tmp_path / "agent"
    words = [sys.executable, str(HERE / "client.py"), str(tmp_path)]
    said = f"s/Done[.]/I used {OPAQUE}./"
    agent.write_text(f'#!/bin/sh\n{shlex.join(words)} "$@" | sed "{said}"\n', encoding="utf-8")
    agent.chmod(0o755)
    world.work("--client", str(agent))

    dump = world.dump()
    for stored in ("saying [secret removed]", "I used [secret removed]", "http://127.0.0.1:1"):
        assert stored in dump
    assert OPAQUE not in dump
    assert LOGIN not in dump


def test_the_message_of_an_unexpected_error_is_shown_and_not_stored(tmp_path: Path) -> None:
    world = LeakyWorld(tmp_path)
    task = world.add("a", "--retries", "0")
    said = f"no access to secrets/{OPAQUE}, unexpectedly"
    program = [sys.executable, str(HERE / "broken.py"), said, *world.worker_arguments("--once")]
    ran = subprocess.run(
        program, cwd=world.project, env=world.environ(), capture_output=True, text=True, check=False
    )

    assert "unexpectedly" in ran.stdout
    assert OPAQUE not in ran.stdout
    shown = world.answer("show", task)["task"]
    assert (shown["state"], shown["outcome"]) == ("ended", "unverified")
    dump = world.dump()
    assert "StepFailure" in dump
    assert "unexpectedly" not in dump


def test_a_check_of_the_configuration_with_a_secret_is_not_recorded(tmp_path: Path) -> None:
    world = LeakyWorld(tmp_path)
    key = "sk-ant-" + "api03-" + "a1B2" * 12
    world.write("untildone.toml", f'[checks.test]\ncommand = "curl -H {key} host"\n')
    world.push()
    world.git("remote", "add", "origin", str(world.remote))
    world.run("trust", "--yes")
    task = world.answer("add", "Write a", "--repo", str(world.remote))["ids"][0]
    world.work()

    reason = world.answer("show", task)["task"]["reason"]
    assert "`test` has what looks like a secret in it" in reason
    assert key not in world.dump()
