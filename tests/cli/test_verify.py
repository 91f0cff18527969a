"""`untildone plan start` and `untildone verify`."""

import json
from pathlib import Path

import pytest

from cli.world import CommandLine, error
from features.plans.test_task_loops import HELP, ONE, TWO
from world import SESSION

AGENT = {"CLAUDE_CODE_SESSION_ID": SESSION}


@pytest.fixture
def plan(cli: CommandLine) -> Path:
    tasks = {"TASK-001": ONE, "TASK-002": TWO}
    return cli.write("TASKS.json", json.dumps({"feature": "notes", "tasks": tasks}))


@pytest.mark.usefixtures("plan")
def test_a_task_is_started_and_its_verification_recorded(cli: CommandLine) -> None:
    begun = cli.json("plan", "start", "TASK-001", "--session", SESSION)
    verified = cli.run_process(
        *("verify", "TASK-001", "--result", "VERIFIED", "--met", HELP.upper(), "read it"), **AGENT
    )
    shown = cli.json("show", begun["id"])

    assert begun["checks"] == ["test -f one.txt"]
    assert begun["red_at_start"] == ["`test -f one.txt` exits 0"]
    assert verified == (0, "VERIFIED\nrecorded for TASK-001\n", "")
    assert shown["progress"]["met"] == {HELP: {"by": "review", "evidence": "read it"}}
    assert shown["progress"]["report"] == {"result": "VERIFIED", "missing": {}, "reason": ""}
    assert shown["contract"]["plan"]["task"] == "TASK-001"
    assert cli.json("plan", "next")["in_progress"] == ["TASK-001"]


@pytest.mark.usefixtures("plan")
def test_what_is_missing_is_reported_at_once(cli: CommandLine) -> None:
    cli.untildone("plan", "start", "--session", SESSION, "--plan", "notes", "--rounds", "2")

    said = cli.run_process("verify", "TASK-001", "--result", "VERIFIED", **AGENT)

    missing = f"Missing, by the verifier:\n- {HELP}: no evidence was given"
    assert said == (0, f"INCOMPLETE\n{missing}\nrecorded for TASK-001\n", "")
    (loop,) = cli.json("status")["loops"]
    assert loop["max_rounds"] == 2


@pytest.mark.usefixtures("plan")
@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (
            ("--result", "BLOCKED"),
            "`--result BLOCKED` needs a reason",
            "add `--reason TEXT`",
        ),
        (
            ("--result", "INCOMPLETE"),
            "`--result INCOMPLETE` does not say what is missing",
            "add `--missing CRITERION WHAT`",
        ),
        (
            ("--result", "INCOMPLETE", "--missing", HELP, " "),
            f"`{HELP}` has no evidence",
            "say in words what you saw",
        ),
    ],
)
def test_a_result_that_says_nothing_is_refused(
    cli: CommandLine, words: tuple[str, ...], message: str, hint: str
) -> None:
    cli.untildone("plan", "start", "--session", SESSION)

    said = cli.run_process("verify", "TASK-001", *words, **AGENT)

    assert said == error(message, hint)


def test_a_plan_is_refined_in_a_loop_of_three_rounds(cli: CommandLine) -> None:
    cli.write(
        "TASKS.json", json.dumps({"feature": "notes", "tasks": {"TASK-001": {**ONE, "points": 8}}})
    )

    begun = cli.json("start", "--template", "refine-plan", "TASKS.json", "--session", SESSION)

    assert begun["red_at_start"] == ["refine"]
    (loop,) = cli.json("status")["loops"]
    assert loop["max_rounds"] == 3
