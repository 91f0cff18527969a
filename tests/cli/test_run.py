"""`untildone run`, around a client that plays a script."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cli.test_terminal import on_a_terminal
from cli.world import CommandLine
from client.world import BIN
from snippets import snippet
from untildone.process.runner import is_alive
from untildone.runs.scripted_agent import Edit
from untildone.runs.scripted_client import Step, write_script
from world import CHECK, SESSION

LAZY = Step(says="Done.", cost_usd=0.1)
WORKS = Step(edits=(Edit(path="done.txt", content="x\n"),), says="There it is.", cost_usd=0.2)
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals and shell scripts")


def script(cli: CommandLine, *steps: Step) -> tuple[str, ...]:
    """The options that make it the client."""
    return ("--check", CHECK, "--client", write_script(cli.home / "script.json", steps))


def shell_client(cli: CommandLine, text: str) -> tuple[str, ...]:
    path = cli.home / "client.sh"
    path.write_text(text, encoding="utf-8")
    return ("--check", CHECK, "--client", f"sh {path}")


def standing(cli: CommandLine) -> tuple[object, ...]:
    (loop,) = cli.json("status", "--all")["loops"]
    return loop["status"], loop["outcome"], loop["round"], loop["reason"]


def start_run(cli: CommandLine, options: Sequence[str], mark: Path) -> subprocess.Popen[str]:
    """A run whose client has left its mark."""
    child = subprocess.Popen(
        [BIN / "untildone", "run", "task", *options],
        cwd=cli.project,
        env=cli.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not mark.exists():
        assert child.poll() is None, child.communicate()
        time.sleep(0.02)
    return child


def test_a_run_is_reported_line_by_line_and_ends_with_the_receipt(cli: CommandLine) -> None:
    code, stdout, reported = cli.run("run", "Write done.txt", *script(cli, LAZY, WORKS))

    assert code == 0
    assert stdout.startswith("# Receipt of loop ")
    reported = re.sub(r"\d+\.\d s|\d+:\d\d$|\d+ s(?=, )", "TIME", reported, flags=re.MULTILINE)
    loop = re.search(r"loop (\w{8})", stdout)
    assert loop
    assert reported.splitlines() == [
        "check: red  TIME",
        f"loop {loop[1]}: `{CHECK}`; at most 10 rounds and 25 USD",
        "round 1: the agent returned; 0 tools, 0.10 USD so far, TIME",
        "untildone: held, round 1 of 10, unmet: check red",
        "round 2: the agent returned; 1 tool, 0.30 USD so far, TIME",
        "untildone: done after 2 rounds: check green | from red to green: check"
        " | TIME, 0.30 USD | receipt: .untildone/receipt.md",
    ]


def test_json_is_one_event_per_line(cli: CommandLine) -> None:
    code, stdout, _ = cli.run("run", "Write done.txt", "--json", *script(cli, WORKS))

    events = [json.loads(line) for line in stdout.splitlines()]
    assert code == 0
    assert [event["event"] for event in events] == [
        *("started", "asked", "tool", "said", "filled", "returned", "judged", "ended")
    ]
    assert events[-1] == {
        "event": "ended",
        "loop": events[0]["loop"],
        "session": events[0]["session"],
        "status": "finished",
        "outcome": "done",
        "reason": "every check passes",
        "rounds": 1,
        "spend_usd": 0.2,
        "exit_code": 0,
        "resume": "",
        "receipt": str(cli.state_folder / "loops" / events[0]["loop"] / "receipt.md"),
        "fault": None,
        "limit_seconds": 0.0,
    }


def test_a_terminal_shows_the_round_as_it_goes(cli: CommandLine) -> None:
    slow = Step(edits=WORKS.edits, says=WORKS.says, hangs=1)

    code, shown = on_a_terminal(cli, "run", "Write done.txt", *script(cli, slow))

    assert code == 0
    assert re.search(r"round 1 · 1 tool · 0:0\d · There it is\.", shown)


def test_a_wait_is_counted_down_on_a_terminal(cli: CommandLine) -> None:
    limited = Step(status=429, until=time.time() - 3)

    code, shown = on_a_terminal(cli, "run", "Write done.txt", *script(cli, limited, WORKS))

    assert code == 0
    assert re.search(r"round 1: limit: .*; waiting until \d\d:\d\d:\d\d", shown)
    assert "waiting, " in shown


def test_ci_wants_plain_lines(cli: CommandLine) -> None:
    options = script(cli, WORKS)

    _, shown = on_a_terminal(cli, "run", "Write done.txt", *options, UNTILDONE_HEADLESS="1")

    assert " · " not in shown


def test_bounds_and_agent_come_from_the_environment(cli: CommandLine) -> None:
    given = {"UNTILDONE_ROUNDS": "1", "UNTILDONE_BUDGET": "7", "UNTILDONE_AGENT": "claude"}

    code, stdout, _ = cli.run("run", "task", "--json", *script(cli, LAZY), **given)

    started = json.loads(stdout.splitlines()[0])
    assert (code, started["max_rounds"], started["budget_usd"]) == (10, 1, 7)


def test_an_option_stands_before_the_environment(cli: CommandLine) -> None:
    options = ("--rounds", "2", "--json", *script(cli, LAZY))

    _, stdout, _ = cli.run("run", "task", *options, UNTILDONE_ROUNDS="1")

    assert json.loads(stdout.splitlines()[0])["max_rounds"] == 2


@POSIX
def test_what_stands_after_the_dashes_is_the_client_s(cli: CommandLine) -> None:
    client = shell_client(
        cli,
        snippet("""
            echo "$@" > given
            echo Invalid API key >&2
            exit 1
        """),
    )

    code, _, _ = cli.run("run", "task", *client, "--", "--model", "opus")

    given = (cli.project / "given").read_text(encoding="utf-8").split()
    assert (code, given[-2:]) == (14, ["--model", "opus"])
    assert standing(cli)[3] == (
        "authentication: Invalid API key; sign in: run `claude` and type `/login`, or set"
        " `ANTHROPIC_API_KEY`"
    )


def test_a_template_takes_the_task_s_place(cli: CommandLine) -> None:
    _, stdout, stderr = cli.run("run", "no-number", "--template", "coverage-to", "--client", "git")

    assert stdout == ""
    assert stderr.startswith("error: ")
    assert "no-number" in stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            ("task", "--client", "no-such-client"), "`no-such-client` was not found", id="missing"
        ),
        pytest.param(("task",), "`claude` was not found", id="claude is missing"),
        pytest.param(("--client", "git"), "no task is given", id="no task"),
    ],
)
def test_wrong_use_begins_nothing(
    cli: CommandLine, arguments: tuple[str, ...], message: str
) -> None:
    code, _, stderr = cli.run("run", *arguments)

    assert (code, stderr.splitlines()[0]) == (2, f"error: {message}")
    assert cli.json("status", "--all")["loops"] == []


def test_a_run_is_continued_on_another_day(cli: CommandLine) -> None:
    options = script(cli, LAZY, WORKS)
    paused, _, stderr = cli.run("run", "task", "--rounds", "1", *options)

    code, stdout, _ = cli.run("continue")

    assert paused == 10
    paused_line = r"^paused \(out-of-rounds\): run `untildone continue \w+` to continue$"
    assert re.search(paused_line, stderr, re.M)
    assert (code, stdout.startswith("# Receipt of loop ")) == (0, True)
    assert standing(cli)[:3] == ("finished", "done", 2)


@POSIX
def test_a_loop_that_is_run_is_not_continued_beside_it(cli: CommandLine) -> None:
    mark = cli.project / "mark"
    child = start_run(cli, shell_client(cli, "touch mark\nsleep 60\n"), mark)

    code, _, stderr = cli.run("continue")
    cli.run("pause")
    child.communicate(timeout=60)

    assert (code, "is running already" in stderr, child.returncode) == (2, True, 22)


@POSIX
def test_a_second_ctrl_c_kills_what_does_not_end(cli: CommandLine) -> None:
    mark = cli.project / "mark"
    client = shell_client(
        cli,
        snippet("""
            trap '' INT TERM
            echo $$ > mark
            while :; do sleep 1; done
        """),
    )
    child = start_run(cli, client, mark)
    process = int(mark.read_text(encoding="utf-8") or 0)

    child.send_signal(signal.SIGINT)
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=60)

    assert (child.returncode, is_alive(process)) == (130, False)
    assert standing(cli) == ("paused", "paused", 0, "interrupted")


@POSIX
def test_a_run_that_is_ended_can_be_continued(cli: CommandLine) -> None:
    mark = cli.project / "mark"
    child = start_run(cli, shell_client(cli, "touch mark\nsleep 60\n"), mark)

    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=60)

    assert child.returncode == 143
    assert standing(cli) == ("paused", "paused", 0, "interrupted")


@POSIX
def test_ctrl_c_while_checks_run_pauses_too(cli: CommandLine) -> None:
    mark = cli.project / "mark"
    options = script(cli, LAZY)
    slow = "test -f mark && exit 1; test -f first && touch mark && sleep 60; touch first; exit 1"
    child = start_run(cli, (*options, "--check", slow), mark)

    child.send_signal(signal.SIGINT)
    child.communicate(timeout=60)

    assert child.returncode == 22
    assert standing(cli) == ("paused", "paused", 0, "interrupted by you")


@POSIX
def test_a_run_that_was_killed_is_resumed_where_it_was(cli: CommandLine) -> None:
    mark = cli.project / "mark"
    hanging = Step(edits=(Edit(path="mark", content=""),), hangs=60)
    child = start_run(cli, script(cli, LAZY, hanging, WORKS), mark)

    child.kill()
    child.communicate(timeout=60)
    left = standing(cli)
    code, _, _ = cli.run("continue")

    assert left[:3] == ("active", None, 1)
    assert (code, standing(cli)[:3]) == (0, ("finished", "done", 2))


@POSIX
def test_a_reader_that_leaves_pauses_the_run(cli: CommandLine) -> None:
    options: Any = [BIN / "untildone", "run", "task", "--json", *script(cli, LAZY)]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        options, cwd=cli.project, env=cli.environ, stdout=writing, check=False, timeout=60
    )
    os.close(writing)

    assert done.returncode == 141
    assert standing(cli)[:2] == ("paused", "paused")


def test_a_loop_that_follows_is_run_in_the_same_conversation(cli: CommandLine) -> None:
    cli.write(
        "untildone.toml",
        snippet("""
            [templates.second]
            task = "read"
            promises = ["ALL READ"]
        """),
    )
    cli.run("trust", "--yes")
    reads = Step(says="ALL READ", cost_usd=0.4)

    code, stdout, _ = cli.run(
        "run", "Write done.txt", "--json", "--then", "second", *script(cli, WORKS, reads)
    )

    events = [json.loads(line) for line in stdout.splitlines()]
    started = [event for event in events if event["event"] == "started"]
    assert [event["task"] for event in started] == ["Write done.txt", "read"]
    assert len({event["session"] for event in started}) == 1
    last = events[-1]
    assert (code, last["outcome"], last["loop"]) == (23, "claimed", started[1]["loop"])
    assert last["spend_usd"] == pytest.approx(0.4)


def test_a_run_taken_into_a_session_is_headless_no_more(cli: CommandLine) -> None:
    cli.run("run", "task", "--rounds", "1", *script(cli, LAZY))

    code, shown, _ = cli.run("continue", "--here", CLAUDE_CODE_SESSION_ID=SESSION)

    assert (code, shown.endswith("the agent is held from its next stop\n")) == (0, True)
    again, reported, _ = cli.run("continue", CLAUDE_CODE_SESSION_ID=SESSION)
    assert (again, reported.endswith("the agent is held from its next stop\n")) == (0, True)


def acp_agent(cli: CommandLine, *turns: dict[str, Any]) -> str:
    """The name of an agent that speaks the Agent Client Protocol and plays these turns."""
    agent = Path(__file__).parents[1] / "runs" / "acp_agent.py"
    path = cli.home / "acp.json"
    path.write_text(json.dumps({"turns": turns}), encoding="utf-8")
    return f"acp:{sys.executable} {agent} {path}"


def test_an_agent_is_named_by_its_command_and_continued_as_the_same(cli: CommandLine) -> None:
    agent = acp_agent(cli, {"says": "Done."}, {"writes": ["done.txt"], "says": "Now."})
    options = ("--agent", agent, "--check", CHECK, "--rounds", "1")
    assert cli.run("run", "Write done.txt", *options)[0] == 10
    (loop,) = cli.json("status", "--all")["loops"]
    assert loop["agent"] == agent
    code, receipt, _ = cli.run("continue", loop["id"], "--rounds", "+1")
    assert (code, receipt.startswith("# Receipt of loop ")) == (0, True)
    assert standing(cli)[:3] == ("finished", "done", 2)


@pytest.mark.parametrize("name", ["nobody", "acp", "acp: "])
def test_an_unknown_agent_is_refused(cli: CommandLine, name: str) -> None:
    code, _, reported = cli.run("run", "task", "--agent", name, "--check", CHECK)
    assert code == 2
    assert f"`{name}` is no agent that we know" in reported


def test_a_missing_program_of_an_agent_is_named(cli: CommandLine) -> None:
    code, _, reported = cli.run("run", "task", "--agent", "acp:not-there --acp", "--check", CHECK)
    assert (code, "`not-there` was not found" in reported) == (2, True)


@POSIX
def test_ctrl_c_cancels_the_agents_turn_before_it_ends(cli: CommandLine) -> None:
    agent = acp_agent(cli, {"waits": True})
    options = ("--agent", agent, "--check", CHECK)
    child = start_run(cli, options, cli.project / "begun")
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=30)
    assert child.returncode == 22
    received = json.loads((cli.home / "acp.json").read_text("utf-8"))["received"]
    assert received[-1]["method"] == "session/cancel"
    assert standing(cli)[0] == "paused"
