"""The GitHub Action and the GitLab job, their shell run here with a scripted agent."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

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
    left = runner.step("Write pages, receipts, JUnit and SARIF")
    assert left.returncode == 0, left.stderr
    (folder,) = Path(runner.values["steps.reports.outputs.reports"]).iterdir()
    return runner.step("Exit with the code of the outcome").returncode, folder


def test_a_task_is_run_published_and_ends_with_its_outcome(cli: CommandLine) -> None:
    runner = Runner(cli, task="write $(touch harm) it", options=options(cli, LAZY, WORKS))

    code, folder = run_action(runner)

    assert (code, runner.values["steps.run.outputs.exit-code"]) == (0, "0")
    assert sorted(path.name for path in folder.iterdir()) == [
        *("findings.sarif", "junit.xml", "receipt.json", "receipt.md", "report.html", "report.md")
    ]
    receipt = msgspec.json.decode(folder.joinpath("receipt.json").read_bytes())
    assert (receipt["outcome"], receipt["task"]) == ("done", "write $(touch harm) it")
    assert not (cli.project / "harm").exists()
    assert 'tests="1" failures="0"' in folder.joinpath("junit.xml").read_text(encoding="utf-8")
    sarif = msgspec.json.decode(folder.joinpath("findings.sarif").read_bytes())
    assert [run["tool"]["driver"]["name"] for run in sarif["runs"]] == ["untildone check"]
    summary = runner.files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
    assert summary.startswith("<!-- untildone report -->\n\n### ✅ Done, after 2 rounds\n")
    assert "Done, after 2 rounds" in folder.joinpath("report.html").read_text(encoding="utf-8")


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


class GitHub(BaseHTTPRequestHandler):
    """As much of GitHub's interface as comments on one pull request need."""

    comments: ClassVar[dict[int, str]] = {}

    def do_GET(self) -> None:
        page = int(self.path.partition("page=")[2].partition("&page=")[2] or 1)
        listed = list(self.comments.items())[100 * (page - 1) : 100 * page]
        self._answer([{"id": number, "body": body} for number, body in listed])

    def do_POST(self) -> None:
        self._keep(len(self.comments) + 1)

    def do_PATCH(self) -> None:
        self._keep(int(self.path.rpartition("/")[2]))

    def _keep(self, number: int) -> None:
        assert self.headers["Authorization"] == "Bearer secret"
        assert self.path.startswith("/repos/ada/shop/issues/")
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.comments[number] = msgspec.json.decode(body)["body"]
        self._answer({})

    def _answer(self, value: object) -> None:
        data = msgspec.json.encode(value)
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def github() -> Iterator[str]:
    """The address of a server that has a page of comments by others."""
    GitHub.comments.clear()
    GitHub.comments.update(dict.fromkeys(range(1, 101), "a review"))
    with ThreadingHTTPServer(("127.0.0.1", 0), GitHub) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def comment(cli: CommandLine, address: str, *texts: str) -> subprocess.CompletedProcess[str]:
    """The step that comments, on these reports of loops."""
    runner = Runner(cli, python=sys.executable, token="secret")  # noqa: S106  made up
    reports = cli.home / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    for number, text in enumerate(texts):
        folder = reports / f"loop{number}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "report.md").write_text(text, encoding="utf-8")
    runner.values["steps.reports.outputs.reports"] = str(reports)
    runner.values["github.event.pull_request.number"] = "7"
    where = {"GITHUB_API_URL": address, "GITHUB_REPOSITORY": "ada/shop"}
    done = runner.step("Comment on the pull request", **where)
    shutil.rmtree(runner.temporary)
    return done


def test_one_comment_is_kept_up_to_date(cli: CommandLine, github: str) -> None:
    first = comment(cli, github, "<!-- untildone report -->\nheld\n")
    second = comment(cli, github, "<!-- untildone report -->\ndone\n", "x" * 60_000)

    assert (first.returncode, first.stdout, second.returncode) == (0, "", 0)
    assert {number: text for number, text in GitHub.comments.items() if number > 100} == {
        101: "<!-- untildone report -->\ndone\n\nLoops that are only in the job's summary: 1\n"
    }


def test_a_comment_that_cannot_be_written_fails_no_job(cli: CommandLine) -> None:
    done = comment(cli, "http://127.0.0.1:9", "held")

    assert (done.returncode, done.stdout.partition(";")[0]) == (
        *(0, "::warning::the comment could not be written"),
    )
    nothing = comment(cli, "http://127.0.0.1:9")
    assert (nothing.returncode, nothing.stdout) == (0, "")


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
    leave = [line.replace("/opt/untildone/bin/", "") for line in job["after_script"]]

    done = [
        subprocess.run(
            [BASH, "-ec", line],
            cwd=cli.project,
            env={**cli.environ, "UNTILDONE_BUDGET": job["variables"]["UNTILDONE_BUDGET"]},
            check=False,
            timeout=110,
        ).returncode
        for line in (run, *leave)
    ]

    assert done == [0, 0, 0]
    assert len(list(cli.project.glob("untildone-reports/*/report.html"))) == 1
    reports = job["artifacts"]["reports"]
    assert [len(list(cli.project.glob(place))) for place in reports.values()] == [1]
