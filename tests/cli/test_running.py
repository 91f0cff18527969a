"""What is shown while checks run: which one, for what, since when; and how long it may take."""

import json
import signal
import subprocess
import time
from collections.abc import Callable
from typing import Any

import pytest

from cli.slow_stop import PATIENCE, SlowStop
from cli.world import CommandLine
from client.world import BIN
from snippets import snippet
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.engine.check_run import open_result_cache
from untildone.engine.context import project_folder

SLOW = Check(name="test", command="sleep 20", reason="configured in `untildone.toml`")


def configure(cli: CommandLine, check: Check = SLOW) -> None:
    cli.write("untildone.toml", f"[checks.{check.name}]\ncommand = {json.dumps(check.command)}\n")
    cli.run("trust", "--yes")


def remember(cli: CommandLine, seconds: float, check: Check = SLOW) -> None:
    """As if the check had run before."""
    result = CheckResult(name=check.name, command=check.command, outcome="red", seconds=seconds)
    folder = project_folder(cli.state_folder, cli.project)
    open_result_cache(folder).store(check, "earlier", result)


def wait_for(cli: CommandLine, is_so: Callable[[Any], bool]) -> Any:  # noqa: ANN401  JSON
    """The first status of the loop of which that is so."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        (loop,) = cli.json("status")["loops"]
        if is_so(loop):
            return loop
        time.sleep(0.1)
    raise AssertionError(loop)


def is_running(loop: Any) -> bool:  # noqa: ANN401  JSON
    return loop["running"] is not None


def test_a_running_check_is_shown(slow_stop: SlowStop) -> None:
    loop = wait_for(slow_stop.cli, is_running)

    assert {**loop["running"], "seconds": 0} == {
        "check": "check",
        "phase": "check",
        "seconds": 0,
        "expected_seconds": loop["running"]["expected_seconds"],
    }
    assert 0 <= loop["running"]["seconds"] < PATIENCE
    assert "  running   checking check " in slow_stop.cli.run("status")[1]
    assert " | checking check " in slow_stop.read_status_line()


def test_status_watch_shows_the_running_check(slow_stop: SlowStop) -> None:
    with subprocess.Popen(
        [BIN / "untildone", "status", "--watch"],
        cwd=slow_stop.cli.project,
        env=slow_stop.cli.environ,
        stdout=subprocess.PIPE,
        text=True,
    ) as watching:
        assert watching.stdout
        shown = [next(watching.stdout) for _ in range(22)]
        watching.kill()

    assert len([line for line in shown if line.startswith("  running   checking check ")]) >= 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_check_whose_run_was_ended_is_no_longer_shown(
    slow_stop: SlowStop, number: signal.Signals
) -> None:
    wait_for(slow_stop.cli, is_running)
    slow_stop.send(number)

    assert slow_stop.session.has("running") == (number == signal.SIGKILL)
    assert slow_stop.cli.json("status")["loops"][0]["running"] is None
    assert "checking" not in slow_stop.read_status_line()


def test_the_checks_on_the_baseline_are_shown_and_waited_for(cli: CommandLine) -> None:
    """A prompt starts the loop: its checks run on the baseline while the agent works."""
    check = Check(name="test", command="sleep 2; test -f done.txt")
    configure(cli, check)
    remember(cli, 480, check)
    cli.event("SessionStart", source="startup")
    cli.event("UserPromptSubmit", prompt="/untildone:test write it")

    loop = wait_for(cli, is_running)
    cli.event("Stop", last_assistant_message="Done.")

    assert (loop["running"]["check"], loop["running"]["phase"]) == ("test", "baseline")
    assert loop["running"]["expected_seconds"] == 480
    (found,) = cli.json("status")["loops"]
    assert (found["running"], found["round"]) == (None, 1)
    assert cli.json("show")["progress"]["baseline"]


def test_a_time_limit_that_differs_from_the_usual_is_said(cli: CommandLine) -> None:
    check = Check(name="test", command="true")
    configure(cli, check)
    before = cli.run("detect")[1]
    remember(cli, 400, check)

    code, stdout, stderr = cli.run("detect")

    assert (code, stderr) == (0, "")
    assert before == "test: `true`  (configured in `untildone.toml`)\n"
    assert stdout == "test: `true`  (configured in `untildone.toml`; may take 1200 seconds)\n"
    assert cli.json("detect")["checks"][0]["time_limit"] == 1_200
    assert cli.run("check")[2].startswith("test: may take 1200 seconds\n")


def test_the_users_own_time_limit_wins(cli: CommandLine) -> None:
    cli.write(
        "untildone.toml",
        snippet("""
            [checks.test]
            command = "sleep 20"
            timeout = 1
        """),
    )
    cli.run("trust", "--yes")
    remember(cli, 400)

    code, _, stderr = cli.run("check")

    assert (code, cli.json("detect")["checks"][0]["time_limit"]) == (1, 1)
    assert "test: timed-out" in stderr


def test_a_wrong_way_to_confirm_is_reported(cli: CommandLine) -> None:
    cli.write("untildone.toml", '[checks.test]\ncommand = "true"\nconfirm = "some"\n')

    assert cli.run("check")[2] == (
        "error: untildone.toml:3: `confirm` is `some`; allowed: `full`, `affected`\n\n"
        "hint: fix it there, then `untildone trust`\n"
    )
