"""Workers and the configuration of a repository: trust travels with the task, by hash."""

import sqlite3
import sys
from pathlib import Path

from runs.queue.world import HERE, QueueWorld
from untildone.process.command import quote_argument

CONFIGURATION = '[checks.test]\ncommand = "grep end a"\n'


def configure(world: QueueWorld) -> None:
    world.write("untildone.toml", CONFIGURATION)
    world.git("add", "-A")
    world.git("commit", "-q", "-m", "Configure")
    world.git("remote", "add", "origin", str(world.remote))
    world.git("push", "-q", "origin", "main")


def forge_task(world: QueueWorld) -> None:
    """Add a task as `queue add` never does: workers must survive it."""
    with sqlite3.connect(world.database) as connection:
        values = r"('cccccccc', 'queued', 'a' || char(9) || char(9) || char(9) || 'r', '{}')"
        connection.execute(
            f"INSERT INTO untildone_task (id, state, route, options) VALUES {values}"  # noqa: S608  test data
        )
    connection.close()


def end(world: QueueWorld, task: str) -> tuple[str, str, list[str]]:
    shown = world.answer("show", task)
    details = [step["detail"] for step in shown["steps"] if step["name"] == "configuration"]
    return shown["task"]["state"], shown["task"]["reason"], details


def test_a_worker_uses_what_the_submitter_trusts_and_no_other(tmp_path: Path) -> None:
    world = QueueWorld(tmp_path)
    configure(world)
    here = ("Write a in 2 rounds", "--repo", str(world.remote))
    untrusted = world.answer("add", *here)["ids"][0]
    assert world.run("trust", "--yes").returncode == 0
    trusted = world.answer("add", *here)["ids"][0]

    world.work("--no-submitter-trust", home="other")
    for task in (untrusted, trusted):
        state, reason, _ = end(world, task)
        assert state == "ended"
        assert "no check was found" in reason
    assert "`--trust " in end(world, trusted)[1]
    for task in (untrusted, trusted):
        world.answer("retry", task)
    world.work(home="other")

    assert "does not trust it; `untildone trust`" in end(world, untrusted)[1]
    state, _, details = end(world, trusted)
    assert state == "done", details
    assert "`untildone.toml` counts: who added the task trusts" in details[-1]
    assert list((tmp_path / "other" / "trust").iterdir()) == []


def test_an_agent_that_changes_the_configuration_gains_nothing(tmp_path: Path) -> None:
    world = QueueWorld(tmp_path)
    configure(world)
    world.run("trust", "--yes")
    task = world.answer("add", "Write a in 2 rounds", "--repo", str(world.remote))["ids"][0]
    forge_task(world)
    agent = tmp_path / "agent"
    words = (sys.executable, str(HERE / "client.py"), str(tmp_path))
    call = " ".join(map(quote_argument, words))
    mark = tmp_path / "ran"
    agent.write_text(
        f"#!/bin/sh\necho '[checks.test]\ncommand = \"touch {mark}\"' > untildone.toml\n"
        f'{call} "$@"\n',
        encoding="utf-8",
    )
    agent.chmod(0o755)

    world.work("--client", str(agent), "--allow-repo", "*")
    assert not mark.exists()
    assert world.calls() == ["a 1 False", "a 2 False"]
    assert end(world, task)[0] == "done"
