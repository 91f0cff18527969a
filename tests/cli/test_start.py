"""`start`: what is agreed on, in which session, and what the user sees."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.world import CommandLine, error
from snippets import snippet
from world import CHECK, OTHER_SESSION, SESSION

UNARMED = "not armed yet: no hook of this session has run; `untildone doctor` says why"
SIGNAL = (
    "nothing is red, so green proves nothing:"
    " `done` needs changed files, and the agent must say that it is done"
)
STARTED = {"id", "session", "armed", "checks", "red_at_start", "unrunnable_at_start", "left_out"}


def contract(cli: CommandLine, loop: str) -> dict[str, Any]:
    return dict(cli.json("show", loop)["contract"])


def test_it_shows_what_holds_and_that_nobody_listens_yet(cli: CommandLine) -> None:
    done = cli.untildone("start", "--session", SESSION, "--check", CHECK)

    (loop,) = cli.json("status")["loops"]
    assert (done.returncode, done.stdout) == (
        0,
        f"untildone: loop {loop['id']} holds this session until check (`{CHECK}`) is met;"
        " 10 rounds, paused after 3 without progress (5 where a check only says red or green)\n",
    )
    assert done.stderr.splitlines()[0].startswith("check: red  ")
    assert done.stderr.splitlines()[1:] == [UNARMED]


def test_json(cli: CommandLine) -> None:
    started = cli.json("start", "--session", SESSION, "--check", CHECK, "--check", "true")

    assert set(started) == STARTED
    del started["id"]
    assert started == {
        "session": SESSION,
        "armed": False,
        "checks": [CHECK, "true"],
        "red_at_start": ["check"],
        "unrunnable_at_start": [],
        "left_out": [],
    }


def test_armed_once_a_hook_of_the_session_was_seen(cli: CommandLine) -> None:
    cli.event("SessionStart", source="startup")

    code, stdout, stderr = cli.run("start", "--check", CHECK)

    assert (code, stdout.splitlines()[-1]) == (0, "armed: the hooks of this session run")
    assert UNARMED not in stderr


def test_green_already_needs_the_agents_word_too(cli: CommandLine) -> None:
    _, stdout, _ = cli.run("start", "--session", SESSION, "--check", "true")

    assert stdout.splitlines()[1] == SIGNAL
    held = cli.event("Stop", last_assistant_message="I am still thinking.")
    assert held is not None
    assert cli.run("signal")[0] == 0
    (cli.project / "page.txt").write_text("new\n", encoding="utf-8")
    cli.event("Stop", last_assistant_message="Done.")
    assert cli.json("status")["loops"][0]["outcome"] == "done"


def test_a_check_that_cannot_run_is_no_green(cli: CommandLine) -> None:
    why = "`check` cannot be run: `no-such-program` is not installed; the loop pauses without it"

    code, stdout, stderr = cli.run("start", "--session", SESSION, "--check", "no-such-program")

    assert code == 0
    assert why in stderr.splitlines()
    assert stdout.splitlines()[1] == SIGNAL
    given = ("start", "--session", OTHER_SESSION, "--check", "no-such-program", "--json")
    _, stdout, stderr = cli.run(*given)
    other = json.loads(stdout)
    assert (other["red_at_start"], other["unrunnable_at_start"]) == ([], ["check"])
    assert why in stderr.splitlines()


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
def test_presets(cli: CommandLine, preset: str, task: str, names: list[str]) -> None:
    cli.write(
        "Makefile",
        snippet("""
            build:
            \ttrue
            test:
            \tfalse
            lint:
            \tfalse
        """),
    )

    given = ("--task", task) if preset == "loop" else ()
    agreed = contract(cli, cli.start("--preset", preset, *given))

    assert [check["name"] for check in agreed["checks"]] == names
    assert (agreed["task"], agreed["preset"]) == (task, preset)
    assert agreed["done_when"] == ("both" if preset == "loop" else "checks")


def test_defaults(cli: CommandLine) -> None:
    agreed = contract(cli, cli.start())

    assert agreed["bounds"] == {
        "rounds": 10,
        "budget_usd": 25.0,
        "minutes": 0.0,
        "round_minutes": 0.0,
        "stagnation": None,
    }
    assert (agreed["started_by"], agreed["allow"], agreed["must_not"]) == ("user", [], [])


def test_everything_that_can_be_given(cli: CommandLine) -> None:
    agreed = contract(
        cli,
        cli.start(
            *("--check", CHECK, "--success-pattern", "ok", "--failure-pattern", "bad"),
            *("--promise", "ALL DONE", "--criterion", "docs=review", "--criterion", "x=5"),
            *("--must-not", "test -f secret", "--done-when", "both", "--max-iterations", "60"),
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
        "both",
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
def test_loops_without_checks(cli: CommandLine, options: tuple[str, ...], until: str) -> None:
    _, stdout, stderr = cli.run("start", "--session", SESSION, *options, "--rounds", "0")

    assert stdout.endswith(f" holds this session until {until} met; no bound of rounds\n")
    assert stderr == f"{UNARMED}\n"


def test_a_second_loop_in_the_session_is_refused(cli: CommandLine) -> None:
    loop = cli.start()

    assert cli.run_process("start", "--session", SESSION, "--check", "true") == error(
        f"this session has the loop `{loop}` already",
        f"`untildone cancel {loop}` ends it, `untildone continue {loop}` goes on with it",
    )


def test_the_only_live_session_here_is_meant(cli: CommandLine, tmp_path: Path) -> None:
    cli.event("SessionStart", source="startup")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    code, _, stderr = cli.run("start", "--check", CHECK, "--project", str(elsewhere))
    assert (code, stderr.splitlines()[0]) == (
        2,
        f"error: there is no live session of claude in `{elsewhere}`",
    )
    assert cli.json("start", "--check", CHECK)["session"] == SESSION


def test_several_live_sessions_are_listed_and_none_is_guessed(cli: CommandLine) -> None:
    for session in (SESSION, OTHER_SESSION):
        cli.event("SessionStart", session, source="startup")

    code, stdout, stderr = cli.run("start", "--check", CHECK)

    assert (code, stdout) == (2, "")
    assert stderr.startswith("error: this project has several sessions: ")
    assert f"`{SESSION}`" in stderr
    assert f"`{OTHER_SESSION}`" in stderr
    assert stderr.endswith("\n\nhint: name one with `--session ID`\n")
    assert not (cli.state_folder / "loops").exists()


def test_a_session_that_ended_is_not_meant(cli: CommandLine) -> None:
    cli.event("SessionStart", source="startup")
    cli.event("SessionEnd", reason="prompt_input_exit")

    assert cli.run("start", "--check", CHECK)[0] == 2


def test_inside_an_agents_shell_the_session_is_its_own(cli: CommandLine) -> None:
    cli.event("SessionStart", source="startup")
    cli.agent_calls_a_tool()

    done = cli.untildone("start", "--check", CHECK, "--json", CLAUDE_CODE_SESSION_ID=SESSION)

    assert done.stderr == ""
    (loop,) = cli.json("status")["loops"]
    assert loop["session"] == SESSION
    assert contract(cli, loop["id"])["started_by"] == "agent"


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
            ("--session", OTHER_SESSION),
            f"`{OTHER_SESSION}` is another session",
            "leave out `--session`",
        ),
    ],
)
def test_an_agent_has_less_authority(
    cli: CommandLine, options: tuple[str, ...], message: str, hint: str
) -> None:
    cli.event("SessionStart", source="startup")
    cli.agent_calls_a_tool()

    given = ("start", "--check", CHECK, *options)
    assert cli.run_process(*given, CLAUDE_CODE_SESSION_ID=SESSION) == error(message, hint)


@pytest.mark.parametrize(
    "task",
    [
        "quotes ' \" $(touch marker) `touch marker` \\n",
        snippet("""
            ---
            active: true
            ---

            # a heading
        """),
        "bytes \udcff, tab\t, line \u2028 end ",
        "x" * 100_000,
    ],
    ids=["shell", "front matter", "odd characters", "100 KB"],
)
def test_any_task_is_kept_as_it_is(cli: CommandLine, task: str) -> None:
    done = cli.untildone("start", "--session", SESSION, "--promise", "DONE", "--task", task)

    assert done.returncode == 0
    (loop,) = cli.json("status")["loops"]
    assert loop["task"] == task
    assert cli.run("status")[0] == cli.run("history")[0] == cli.run("show")[0] == 0
    assert not (cli.project / "marker").exists()


def test_a_task_too_long_to_repeat_stands_in_a_file(cli: CommandLine) -> None:
    loop = cli.start("--promise", "DONE", "--task", "é" * 20_000)

    path = cli.project / ".untildone" / f"task-{loop}.md"
    assert path.read_text(encoding="utf-8") == "é" * 20_000


def test_the_agent_is_held_until_the_check_passes(cli: CommandLine) -> None:
    cli.event("SessionStart", source="startup")
    cli.start()

    assert cli.event("Stop", last_assistant_message="Done.") is not None
    (cli.project / "done.txt").touch()
    cli.event("Stop", last_assistant_message="Done.")

    (loop,) = cli.json("status")["loops"]
    assert (loop["status"], loop["outcome"], loop["round"]) == ("finished", "done", 2)
