"""`start`: what is agreed on, in which session, and what the person is told."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.desk import OTHER, RED, SESSION, Desk, error

UNARMED = "not armed yet: no hook of this session has run; `untildone doctor` tells why"
SIGNAL = "nothing is red, so green proves nothing: the agent must also say that it is done"
STARTED = {"id", "session", "armed", "checks", "red_at_start", "unrunnable_at_start"}


def contract(desk: Desk, loop: str) -> dict[str, Any]:
    return dict(desk.json("show", loop)["contract"])


def test_it_is_told_what_holds_and_that_nobody_listens_yet(desk: Desk) -> None:
    done = desk.untildone("start", "--session", SESSION, "--check", RED)

    (loop,) = desk.json("status")["loops"]
    assert (done.returncode, done.stdout) == (
        0,
        f"untildone: loop {loop['id']} holds this session until check (`{RED}`) is met;"
        " 10 rounds\n",
    )
    assert done.stderr.splitlines()[0].startswith("check: red  ")
    assert done.stderr.splitlines()[1:] == [UNARMED]


def test_json(desk: Desk) -> None:
    started = desk.json("start", "--session", SESSION, "--check", RED, "--check", "true")

    assert set(started) == STARTED
    del started["id"]
    assert started == {
        "session": SESSION,
        "armed": False,
        "checks": [RED, "true"],
        "red_at_start": ["check"],
        "unrunnable_at_start": [],
    }


def test_armed_once_a_hook_of_the_session_was_seen(desk: Desk) -> None:
    desk.event("SessionStart", source="startup")

    code, shown, told = desk.typed("start", "--check", RED)

    assert (code, shown.splitlines()[-1]) == (0, "armed: the hooks of this session run")
    assert UNARMED not in told


def test_green_already_needs_the_agents_word_too(desk: Desk) -> None:
    _, shown, _ = desk.typed("start", "--session", SESSION, "--check", "true")

    assert shown.splitlines()[1] == SIGNAL
    held = desk.event("Stop", last_assistant_message="I am still thinking.")
    assert held is not None
    assert desk.typed("signal")[0] == 0
    desk.event("Stop", last_assistant_message="Done.")
    assert desk.json("status")["loops"][0]["outcome"] == "done"


def test_a_check_that_cannot_run_is_no_green(desk: Desk) -> None:
    why = "`check` cannot be run: `no-such-program` was not found"

    code, shown, told = desk.typed("start", "--session", SESSION, "--check", "no-such-program")

    assert code == 0
    assert why in told.splitlines()
    assert shown.splitlines()[1] == (
        "`check` cannot be run, and nothing else is red,"
        " so green proves nothing: the agent must also say that it is done"
    )
    given = ("start", "--session", OTHER, "--check", "no-such-program", "--json")
    _, shown, told = desk.typed(*given)
    other = json.loads(shown)
    assert (other["red_at_start"], other["unrunnable_at_start"]) == ([], ["check"])
    assert why in told.splitlines()


@pytest.mark.parametrize(
    ("preset", "task", "names"),
    [
        ("test", "Make every test pass by fixing the code, not the tests.", ["test"]),
        (
            "lint",
            "Clear every finding of the linters and formatters; keep what the code does.",
            ["lint"],
        ),
        ("build", "Make the build pass: find what breaks it and fix the code.", ["build"]),
        ("ship", "Make build, tests and linters pass.", ["build", "test", "lint"]),
        ("fix", "Clear every error the project's own tools report.", ["build", "test", "lint"]),
        ("loop", "Port src/a.py to use the new parser", ["build", "test", "lint"]),
    ],
)
def test_presets(desk: Desk, preset: str, task: str, names: list[str]) -> None:
    desk.write("Makefile", "build:\n\ttrue\ntest:\n\tfalse\nlint:\n\tfalse\n")

    given = ("--task", task) if preset == "loop" else ()
    agreed = contract(desk, desk.start("--preset", preset, *given))

    assert [check["name"] for check in agreed["checks"]] == names
    assert (agreed["task"], agreed["preset"]) == (task, preset)
    assert agreed["done_when"] == ("both" if preset == "loop" else "checks")


def test_defaults(desk: Desk) -> None:
    agreed = contract(desk, desk.start())

    assert agreed["bounds"] == {
        "rounds": 10,
        "budget_usd": 25.0,
        "minutes": 0.0,
        "round_minutes": 0.0,
        "stagnation": None,
    }
    assert (agreed["started_by"], agreed["allow"], agreed["must_not"]) == ("user", [], [])


def test_everything_that_can_be_given(desk: Desk) -> None:
    agreed = contract(
        desk,
        desk.start(
            *("--check", RED, "--success-pattern", "ok", "--failure-pattern", "bad"),
            *("--promise", "ALL DONE", "--criterion", "docs=review", "--criterion", "x=5"),
            *("--must-not", "test -f secret", "--done-when", "either", "--max-iterations", "60"),
            *("--budget", "0", "--minutes", "90", "--round-minutes", "5"),
            *("--stagnation-limit", "0", "--allow", "config:pyproject.toml:ruff"),
        ),
    )

    check = agreed["checks"][0]
    assert (check["success_pattern"], check["failure_pattern"]) == ("ok", "bad")
    assert agreed["claims"] == [
        {"name": "docs", "verification": "review"},
        {"name": "x=5", "verification": "execution"},
    ]
    assert agreed["bounds"] == {
        "rounds": 60,
        "budget_usd": 0.0,
        "minutes": 90.0,
        "round_minutes": 5.0,
        "stagnation": 0,
    }
    given = ("promises", "must_not", "done_when", "allow")
    assert [agreed[name] for name in given] == [
        ["ALL DONE"],
        ["test -f secret"],
        "either",
        ["config:pyproject.toml:ruff"],
    ]


@pytest.mark.parametrize(
    ("options", "until"),
    [
        (("--promise", "ALL DONE"), "promise `ALL DONE` is"),
        (("--criterion", "docs"), "claim `docs` is"),
        (("--criterion", "a", "--criterion", "b"), "claim `a`, claim `b` are"),
    ],
)
def test_loops_without_checks(desk: Desk, options: tuple[str, ...], until: str) -> None:
    _, shown, told = desk.typed("start", "--session", SESSION, *options, "--rounds", "0")

    assert shown.endswith(f" holds this session until {until} met; no bound of rounds\n")
    assert told == f"{UNARMED}\n"


def test_a_second_loop_in_the_session_is_refused(desk: Desk) -> None:
    loop = desk.start()

    assert desk.said("start", "--session", SESSION, "--check", "true") == error(
        f"this session has the loop `{loop}` already",
        f"`untildone cancel {loop}` ends it, `untildone continue {loop}` goes on with it",
    )


def test_the_only_live_session_here_is_meant(desk: Desk, tmp_path: Path) -> None:
    desk.event("SessionStart", source="startup")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    code, _, told = desk.typed("start", "--check", RED, "--project", str(elsewhere))
    assert (code, told.splitlines()[0]) == (
        2,
        f"error: there is no live session of claude in `{elsewhere}`",
    )
    assert desk.json("start", "--check", RED)["session"] == SESSION


def test_several_live_sessions_are_listed_and_none_is_guessed(desk: Desk) -> None:
    for session in (SESSION, OTHER):
        desk.event("SessionStart", session, source="startup")

    code, shown, told = desk.typed("start", "--check", RED)

    assert (code, shown) == (2, "")
    assert told.startswith("error: this project has several sessions: ")
    assert f"`{SESSION}`" in told
    assert f"`{OTHER}`" in told
    assert told.endswith("\n\nhint: name one with `--session ID`\n")
    assert not (desk.state / "loops").exists()


def test_a_session_that_ended_is_not_meant(desk: Desk) -> None:
    desk.event("SessionStart", source="startup")
    desk.event("SessionEnd", reason="prompt_input_exit")

    assert desk.typed("start", "--check", RED)[0] == 2


def test_inside_an_agents_shell_the_session_is_its_own(desk: Desk) -> None:
    desk.event("SessionStart", source="startup")
    desk.agent_calls_a_tool()

    done = desk.untildone("start", "--check", RED, "--json", CLAUDE_CODE_SESSION_ID=SESSION)

    assert done.stderr == ""
    (loop,) = desk.json("status")["loops"]
    assert loop["session"] == SESSION
    assert contract(desk, loop["id"])["started_by"] == "agent"


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        (
            ("--rounds", "51"),
            "an agent may start a loop with at most 50 rounds",
            "give a number from 1 to 50",
        ),
        (
            ("--budget", "0"),
            "an agent may start a loop with at most 100 budget",
            "give a number from 1 to 100",
        ),
        (
            ("--allow", "config:a"),
            "`--allow` can only be given by the user",
            "ask them to start the loop",
        ),
        (
            ("--session", OTHER),
            f"`{OTHER}` is another session",
            "leave out `--session`",
        ),
    ],
)
def test_an_agent_has_less_authority(
    desk: Desk, options: tuple[str, ...], message: str, hint: str
) -> None:
    desk.event("SessionStart", source="startup")
    desk.agent_calls_a_tool()

    given = ("start", "--check", RED, *options)
    assert desk.said(*given, CLAUDE_CODE_SESSION_ID=SESSION) == error(message, hint)


@pytest.mark.parametrize(
    "task",
    [
        "quotes ' \" $(touch marker) `touch marker` \\n",
        "---\nactive: true\n---\n\n# a heading\n",
        "bytes \udcff, tab\t, line \u2028 end ",
        "x" * 100_000,
    ],
    ids=["shell", "front matter", "odd characters", "100 KB"],
)
def test_any_task_is_kept_as_it_is(desk: Desk, task: str) -> None:
    done = desk.untildone("start", "--session", SESSION, "--promise", "DONE", "--task", task)

    assert done.returncode == 0
    (loop,) = desk.json("status")["loops"]
    assert loop["task"] == task
    assert desk.typed("status")[0] == desk.typed("history")[0] == desk.typed("show")[0] == 0
    assert not (desk.project / "marker").exists()


def test_a_task_too_long_to_repeat_stands_in_a_file(desk: Desk) -> None:
    loop = desk.start("--promise", "DONE", "--task", "é" * 20_000)

    path = desk.project / ".untildone" / f"task-{loop}.md"
    assert path.read_text(encoding="utf-8") == "é" * 20_000


def test_the_agent_is_held_until_the_check_passes(desk: Desk) -> None:
    desk.event("SessionStart", source="startup")
    desk.start()

    assert desk.event("Stop", last_assistant_message="Done.") is not None
    (desk.project / "done.txt").touch()
    desk.event("Stop", last_assistant_message="Done.")

    (loop,) = desk.json("status")["loops"]
    assert (loop["status"], loop["outcome"], loop["round"]) == ("finished", "done", 2)
