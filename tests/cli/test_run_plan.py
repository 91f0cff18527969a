"""A plan run on a terminal."""

import json
import re
import subprocess
import sys

import pytest

from cli.test_run import acp_agent
from cli.test_terminal import on_a_terminal
from cli.world import CommandLine
from untildone.runs.scripted_agent import Shell
from untildone.runs.scripted_client import Step, write_script


@pytest.mark.skipif(sys.platform == "win32", reason="NOT TESTED, needs a terminal")
def test_a_terminal_shows_the_tasks_at_work(cli: CommandLine) -> None:
    tasks = {"A": {"title": "A file", "checks": ["test -f done.txt"]}}
    plan = cli.project / "TASKS.json"
    plan.write_text(json.dumps({"feature": "pay", "tasks": tasks}), encoding="utf-8")
    who = ("-c", "user.name=me", "-c", "user.email=me@localhost")
    for git in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "Begin")):
        subprocess.run(["git", *who, *git], cwd=cli.project, env=cli.environ, check=True)
    work = Step(edits=(Shell(command="sleep 2; touch done.txt"),), says="Done.")
    client = write_script(cli.home / "script.json", [work])

    code, shown = on_a_terminal(cli, "run", "--plan", "TASKS.json", "--client", client)

    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert code == 0
    assert re.search(r"task +round +time +doing", shown)
    assert re.search(r"A +1 +0:0\d +", shown)
    assert "done: every task is verified and merged" in shown


def test_a_plan_is_run_by_an_agent_named_by_its_command(cli: CommandLine) -> None:
    tasks = {"A": {"title": "A file", "checks": ["test -f done.txt"]}}
    plan = cli.project / "TASKS.json"
    plan.write_text(json.dumps({"feature": "pay", "tasks": tasks}), encoding="utf-8")
    who = ("-c", "user.name=me", "-c", "user.email=me@localhost")
    for git in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "Begin")):
        subprocess.run(["git", *who, *git], cwd=cli.project, env=cli.environ, check=True)
    agent = acp_agent(cli, {"says": "Done."}, {"writes": ["done.txt"], "says": "Now."})

    code, _, shown = cli.run_process("run", "--plan", "TASKS.json", "--agent", agent)

    assert code == 0, shown
    assert "A: held, round 1 of 5" in shown
    assert "A: merged" in shown
