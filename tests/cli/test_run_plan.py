"""A plan run on a terminal."""

import json
import re
import subprocess
import sys

import pytest

from cli.desk import Desk
from cli.test_terminal import on_a_terminal
from untildone.runs.scripted_agent import Shell
from untildone.runs.scripted_client import Step, write_script


@pytest.mark.skipif(sys.platform == "win32", reason="NOT TESTED, needs a terminal")
def test_a_terminal_shows_the_tasks_at_work(desk: Desk) -> None:
    tasks = {"A": {"title": "A file", "checks": ["test -f done.txt"]}}
    plan = desk.project / "TASKS.json"
    plan.write_text(json.dumps({"feature": "pay", "tasks": tasks}), encoding="utf-8")
    who = ("-c", "user.name=me", "-c", "user.email=me@localhost")
    for git in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "Begin")):
        subprocess.run(["git", *who, *git], cwd=desk.project, env=desk.environ, check=True)
    work = Step(edits=(Shell(command="sleep 2; touch done.txt"),), says="Done.")
    client = write_script(desk.home / "script.json", [work])

    code, shown = on_a_terminal(desk, "run", "--plan", "TASKS.json", "--client", client)

    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert code == 0
    assert re.search(r"task +round +time +doing", shown)
    assert re.search(r"A +1 +0:0\d +", shown)
    assert "done: every task is verified and merged" in shown
