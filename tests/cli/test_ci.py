"""The GitHub Action and the GitLab job, their shell run here with a scripted agent."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from cli.world import CommandLine
from tools import missing
from untildone.runs.scripted_agent import Edit
from untildone.runs.scripted_client import Step, write_script
from world import CHECK

REPOSITORY = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load(
    REPOSITORY.joinpath("action.yml").read_text(encoding="utf-8")
)
WORKS = Step(edits=(Edit(path="done.txt", content="x\n"),), says="There it is.", cost_usd=0.2)
LAZY = Step(says="Done.", cost_usd=0.1)
BASH = shutil.which("bash") or ""
pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or not BASH, reason="the shell of the runners is bash"
)


class Runner:
    """As much of a runner as the action's shell steps see."""

    def __init__(self, cli: CommandLine, **inputs: str) -> None:
        self.cli = cli
        given = {name: str(about.get("default", "")) for name, about in ACTION["inputs"].items()}
        self.values = {f"inputs.{name}": text for name, text in (given | inputs).items()}
        self.values["github.action_path"] = str(REPOSITORY)
        self.temporary = cli.home / "runner"
        self.temporary.mkdir()
        self.files = {
            f"GITHUB_{name}": self.temporary / name.lower()
            for name in ("OUTPUT", "PATH", "ENV", "STEP_SUMMARY")
        }
        for file in self.files.values():
            file.touch()

    def step(self, name: str, **environ: str) -> subprocess.CompletedProcess[str]:
        (step,) = (step for step in ACTION["runs"]["steps"] if step["name"] == name)
        script = self.temporary / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        own = {key: self.filled(value) for key, value in step.get("env", {}).items()}
        done = subprocess.run(
            [BASH, "--noprofile", "--norc", "-eo", "pipefail", script],
            cwd=self.cli.project,
            env={**self.environ, **own, **environ},
            capture_output=True,
            text=True,
            check=False,
            timeout=110,
        )
        for line in self.files["GITHUB_OUTPUT"].read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition("=")
            self.values[f"steps.{step.get('id', '')}.outputs.{key}"] = value
        self.files["GITHUB_OUTPUT"].write_text("", encoding="utf-8")
        return done

    @property
    def environ(self) -> Mapping[str, str]:
        return {
            **self.cli.environ,
            **{name: str(path) for name, path in self.files.items()},
            "RUNNER_TEMP": str(self.temporary),
            "UNTILDONE_HOME": str(self.temporary / "untildone-state"),
        }

    def filled(self, text: str) -> str:
        return re.sub(r"\$\{\{\s*([\w.-]+)\s*\}\}", lambda found: self.values[found[1]], text)


def options(cli: CommandLine, *steps: Step) -> str:
    client = write_script(cli.home / "script.json", steps)
    return "\n".join(("--check", CHECK, "--client", client, ""))


def run_action(runner: Runner) -> tuple[int, Path]:
    """The exit code of the action, and the folder of the one loop."""
    ran = runner.step("Run until it is done")
    assert ran.returncode == 0, ran.stderr
    left = runner.step("Write receipt, JUnit and SARIF")
    assert left.returncode == 0, left.stderr
    (folder,) = Path(runner.values["steps.reports.outputs.reports"]).iterdir()
    return runner.step("Exit with the code of the outcome").returncode, folder


def test_a_task_is_run_published_and_ends_with_its_outcome(cli: CommandLine) -> None:
    runner = Runner(cli, task="write $(touch harm) it", options=options(cli, LAZY, WORKS))

    code, folder = run_action(runner)

    assert (code, runner.values["steps.run.outputs.exit-code"]) == (0, "0")
    assert sorted(path.name for path in folder.iterdir()) == [
        *("findings.sarif", "junit.xml", "receipt.json", "receipt.md")
    ]
    receipt = msgspec.json.decode(folder.joinpath("receipt.json").read_bytes())
    assert (receipt["outcome"], receipt["task"]) == ("done", "write $(touch harm) it")
    assert not (cli.project / "harm").exists()
    assert 'tests="1" failures="0"' in folder.joinpath("junit.xml").read_text(encoding="utf-8")
    sarif = msgspec.json.decode(folder.joinpath("findings.sarif").read_bytes())
    assert [run["tool"]["driver"]["name"] for run in sarif["runs"]] == ["untildone check"]
    summary = runner.files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
    assert summary.startswith("# Receipt of loop")


def test_a_plan_is_worked_off_and_published(cli: CommandLine) -> None:
    task = {"title": "Write it", "acceptance_criteria": [f"`{CHECK}` exits 0"], "points": 1}
    cli.write("TASKS.json", json.dumps({"feature": "notes", "tasks": {"TASK-001": task}}))
    client = write_script(cli.home / "script.json", (LAZY, WORKS))

    code, folder = run_action(Runner(cli, plan="TASKS.json", options=f"--client\n{client}"))

    receipt = msgspec.json.decode(folder.joinpath("receipt.json").read_bytes())
    assert (code, receipt["outcome"], receipt["rounds"]) == (0, "done", 2)


def test_a_bound_that_is_reached_fails_the_job_and_is_published_too(cli: CommandLine) -> None:
    runner = Runner(cli, task="write it", rounds="2", options=options(cli, LAZY))

    code, folder = run_action(runner)

    assert code == 10
    assert 'tests="1" failures="1"' in folder.joinpath("junit.xml").read_text(encoding="utf-8")
    receipt = msgspec.json.decode(folder.joinpath("receipt.json").read_bytes())
    assert (receipt["outcome"], receipt["max_rounds"]) == ("out-of-rounds", 2)


def test_a_wrong_hash_runs_nothing(cli: CommandLine) -> None:
    cli.write("untildone.toml", '[checks.test]\ncommand = "true"\n')
    runner = Runner(cli, task="x", options=options(cli, WORKS), **{"trust-sha256": "0" * 64})

    ran = runner.step("Run until it is done")

    assert (ran.returncode, (cli.project / "done.txt").exists()) == (2, False)
    assert f"not {'0' * 64}" in ran.stderr


def test_the_action_installs_what_it_stands_in(cli: CommandLine) -> None:
    runner = Runner(cli, python=sys.executable)
    pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}

    installed = runner.step("Install untildone", **pip, HOME=os.environ.get("HOME", ""))

    if "No matching distribution" in installed.stderr or "onnection" in installed.stderr:
        missing("the package index cannot be reached")
    assert installed.returncode == 0, installed.stderr
    program = runner.files["GITHUB_PATH"].read_text(encoding="utf-8").strip() + "/untildone"
    assert subprocess.run([program, "--version"], check=True, capture_output=True).stdout
    state = f"UNTILDONE_HOME={runner.temporary}/untildone-state\n"
    assert runner.files["GITHUB_ENV"].read_text(encoding="utf-8") == state


def test_no_input_is_put_into_a_script() -> None:
    scripts = [step["run"] for step in ACTION["runs"]["steps"] if "run" in step]

    assert [script for script in scripts if "${{" in script] == []


def gitlab_job() -> dict[str, Any]:
    page = REPOSITORY.joinpath("docs", "ci.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    return dict(yaml.safe_load(blocks[-1])["untildone"])


def test_the_gitlab_job_runs_and_leaves_what_it_names(cli: CommandLine) -> None:
    job = gitlab_job()
    client = write_script(cli.home / "script.json", (WORKS,))
    run = job["script"][0].replace("--preset test", f"--check '{CHECK}' --client \"{client}\"")
    leave = job["after_script"][0].removeprefix("/opt/untildone/bin/")

    done = [
        subprocess.run(
            [BASH, "-ec", line],
            cwd=cli.project,
            env={**cli.environ, "UNTILDONE_BUDGET": job["variables"]["UNTILDONE_BUDGET"]},
            check=False,
            timeout=110,
        ).returncode
        for line in (run, leave)
    ]

    assert done == [0, 0]
    reports = job["artifacts"]["reports"]
    assert [len(list(cli.project.glob(place))) for place in reports.values()] == [1]
