"""`untildone replay`: a loop's rounds in the terminal."""

import time

import pytest

from cli.world import CommandLine
from untildone.cli.replay import ReplayedRound, _format_round, _format_seconds
from untildone.core.progress import Round
from untildone.core.verdict import Continue

SAID = "I looked at everything. " * 20


def play_loop(cli: CommandLine) -> str:
    loop = cli.start()
    cli.event("Stop", stop_hook_active=False, last_assistant_message=SAID)
    (cli.project / "done.txt").touch()
    cli.event("Stop", stop_hook_active=True, last_assistant_message="Done.")
    return loop


def test_the_rounds_are_replayed_within_80_columns(cli: CommandLine) -> None:
    loop = play_loop(cli)

    code, stdout, stderr = cli.run("replay", loop)

    lines = stdout.splitlines()
    assert (code, stderr, max(map(len, lines)) <= 80) == (0, "", True)
    assert lines[0].startswith(f"loop {loop}  ")
    verdicts = [line.split()[-3:] for line in lines if line.startswith("+")]
    assert verdicts == [["round", "1", "held"], ["round", "2", "done"]]
    assert f"{' ' * 20}✗ check: red" in stdout
    assert lines[-1] == "done: every check passes"


def test_a_pause_is_named_as_everywhere_else(cli: CommandLine) -> None:
    loop = cli.start("--check", "false", "--rounds", "1")
    cli.event("Stop", stop_hook_active=False, last_assistant_message=SAID)

    lines = cli.run("replay", loop)[1].splitlines()

    assert next(line for line in lines if line.startswith("+")).endswith("  paused (out-of-rounds)")
    assert lines[-1] == "paused (out-of-rounds): round 1 of 1"


def test_a_pipe_does_not_wait(cli: CommandLine) -> None:
    loop = play_loop(cli)
    began = time.monotonic()

    assert cli.run_process("replay", loop, "--speed", "0.0001")[0] == 0
    assert time.monotonic() - began < 30


def test_a_replay_as_json(cli: CommandLine) -> None:
    loop = play_loop(cli)

    replay = cli.json("replay", loop)

    assert (replay["loop"], [each["round"]["number"] for each in replay["rounds"]]) == (
        loop,
        [1, 2],
    )
    assert 0 <= replay["rounds"][0]["seconds"] <= replay["rounds"][1]["seconds"]


def test_a_loop_that_was_never_judged(cli: CommandLine) -> None:
    assert "no stop has been judged yet\n" in cli.run("replay", cli.start())[1]


def test_what_an_agent_noted_and_wrote_is_replayed() -> None:
    entry = Round(
        number=3,
        at="2026-01-12T18:45:00Z",
        verdict=Continue(cause="unmet"),
        notes=("took the queue",),
        written_files=("a.py",),
    )

    assert [line.strip() for line in _format_round(ReplayedRound(seconds=3725, round=entry))] == [
        "+1:02:05  round 3   held",
        "wrote: a.py",
        "note: took the queue",
    ]


@pytest.mark.parametrize(("seconds", "expected"), [(0, "0:00"), (125, "2:05"), (3600, "1:00:00")])
def test_a_time_is_short(seconds: float, expected: str) -> None:
    assert _format_seconds(seconds) == expected
