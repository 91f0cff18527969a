"""What a terminal shows: live lines, colours unless the user wants none."""

import os
import pty
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cli.world import CommandLine
from client.world import BIN
from snippets import snippet
from untildone.report.columns import measure_columns
from world import CHECK, SESSION

GREEN_COLOUR = "\x1b[32m"


def on_a_terminal(cli: CommandLine, *arguments: str, **environ: str) -> tuple[int, str]:
    """Exit code and what a terminal got to show."""
    with open_terminal(cli, *arguments, **environ) as (child, terminal):
        shown = b""
        while data := _read(terminal):
            shown += data
    return child.returncode, shown.decode()


@contextmanager
def open_terminal(
    cli: CommandLine, *arguments: str, **environ: str
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A command that runs, and the terminal that shows it."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [BIN / "untildone", *arguments],
        cwd=cli.project,
        env={**cli.environ, "TERM": "xterm", **environ},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    try:
        yield child, ours
    finally:
        os.close(ours)
        child.wait(timeout=20)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:
        # Linux says so where the other side is closed.
        return b""


@pytest.fixture
def configured(cli: CommandLine) -> CommandLine:
    text = snippet("""
        [checks.test]
        command = 'true'
        [checks.lint]
        command = 'sleep 0.5; exit 3'
    """)
    cli.write("untildone.toml", text)
    cli.run("trust", "--yes")
    return cli


def test_running_checks_are_shown_live(configured: CommandLine) -> None:
    code, shown = on_a_terminal(configured, "check")

    assert code == 1
    assert "lint  \x1b[2mrunning           0 s" in shown
    assert f"test  {GREEN_COLOUR}green      \x1b[0m" in shown


def test_a_check_that_waits_reports_its_last_result(configured: CommandLine) -> None:
    on_a_terminal(configured, "check")
    _, shown = on_a_terminal(configured, "check", NO_COLOR="1")

    assert "lint  \x1b[2mrunning           0 s  last: red" in shown
    assert "test  green       as before" in shown


def test_the_table_of_results_takes_the_place_of_the_live_lines(configured: CommandLine) -> None:
    _, shown = on_a_terminal(configured, "check", NO_COLOR="1")

    assert shown.rindex("\x1b[2K") < shown.index("result")


def test_no_line_is_longer_than_a_narrow_terminal(cli: CommandLine) -> None:
    name = "a-name-that-is-longer-than-the-whole-terminal"
    cli.write("untildone.toml", f"[checks.{name}]\ncommand = 'sleep 0.5'\n")
    cli.run("trust", "--yes")
    _, shown = on_a_terminal(cli, "check", NO_COLOR="1", COLUMNS="40")

    assert f"{name[:9]}…  \x1b[2mrunning           0 s" in shown


def test_no_colour_where_the_user_wants_none(configured: CommandLine) -> None:
    code, shown = on_a_terminal(configured, "check", NO_COLOR="1")

    assert code == 1
    assert "lint  red" in shown
    assert GREEN_COLOUR not in shown


def test_the_doctor_in_colour_and_without(cli: CommandLine) -> None:
    assert "\x1b[1;31m" in on_a_terminal(cli, "doctor")[1]
    assert "\x1b[1;31m" not in on_a_terminal(cli, "doctor", NO_COLOR="1")[1]


def test_a_status_that_is_watched_is_shown_again(cli: CommandLine) -> None:
    cli.start()
    child = subprocess.Popen(
        [BIN / "untildone", "status", "--watch"],
        cwd=cli.project,
        env={**cli.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    first = child.stdout.readline()
    again = any(child.stdout.readline() == first for _ in range(20))

    child.terminate()
    child.communicate(timeout=20)

    assert again


def test_a_watch_on_a_terminal_is_redrawn_in_place_and_ends_by_ctrl_c(cli: CommandLine) -> None:
    loop = cli.start("--check", CHECK, "--minutes", "60")
    with open_terminal(cli, "status", "--watch") as (child, terminal):
        shown = b""
        while shown.count(loop.encode()) < 2:
            shown += _read(terminal)
        child.send_signal(signal.SIGINT)
        while data := _read(terminal):
            shown += data

    text = shown.decode()
    assert child.returncode == 0
    assert "·" * 20 in text
    # The cursor is hidden, moved up instead of clearing the screen, and shown again.
    assert ("\x1b[?25l" in text, "\x1b[1A\x1b[2K" in text, "\x1b[?25h" in text) == (True,) * 3
    assert ("\x1b[2J" in text, "interrupted" in text) == (False, False)


def test_a_status_is_coloured_unless_the_user_wants_none(cli: CommandLine) -> None:
    cli.start("--check", CHECK, "--minutes", "60")

    assert "\x1b[33m" in on_a_terminal(cli, "status")[1]
    for none in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b[" not in on_a_terminal(cli, "status", **none)[1]


def test_a_replay_on_a_terminal_has_a_bar(cli: CommandLine) -> None:
    loop = cli.start()
    cli.event("Stop", last_assistant_message="Done.")

    code, shown = on_a_terminal(cli, "replay", loop, "--speed", "1000")

    assert code == 0
    assert "round 1 of 1  0:0" in shown
    assert "+0:0" in shown
    assert shown.endswith("\r\nactive\r\n")


def test_history_has_a_head_and_fits_the_terminal(cli: CommandLine) -> None:
    loop = cli.start("--check", CHECK, "--task", "漢字" * 40)

    head, line = on_a_terminal(cli, "history", NO_COLOR="1", COLUMNS="80")[1].splitlines()

    assert head.split() == ["loop", "started", "state", "rounds", "time", "USD", "task"]
    assert (line.startswith(f"{loop}  "), line.endswith(" …")) == (True, True)
    assert measure_columns(line) <= 80


def test_the_status_line(cli: CommandLine) -> None:
    loop = cli.start("--check", CHECK)
    payload = f'{{"session_id": "{SESSION}", "cost": {{"total_cost_usd": 1.5}}}}'

    done = cli.untildone("statusline", stdin=payload, CLAUDE_CODE_SESSION_ID=SESSION)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"untildone {loop} | round 0 of 10")


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no file system in memory here")
def test_a_state_that_is_gone_after_a_restart_is_noted(cli: CommandLine) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        code, _, stderr = cli.run("init", UNTILDONE_HOME=place)

    assert (code, stderr) == (0, f"note: {place} is on tmpfs and is gone after a restart\n")


def test_a_drill_without_a_state(cli: CommandLine) -> None:
    cli.run("init")
    place = cli.write("file", "")

    code, stdout, _ = cli.run("drill", UNTILDONE_HOME=str(place))

    assert code == 1
    assert stdout.splitlines()[1:3] == [
        "FAIL  state                writable",
        f"      the state folder `{place}` is not a folder",
    ]


def test_a_long_task_is_cut_to_the_terminal_and_whole_in_a_pipe(cli: CommandLine) -> None:
    task = "Fähren " * 30
    cli.start("--check", CHECK, "--task", f"\n{task}\nand more")

    for command in ("status", "history"):
        _, shown = on_a_terminal(cli, command, COLUMNS="80")
        assert max(map(len, shown.splitlines())) <= 80
        assert " …\r\n" in shown
        assert task.strip() in cli.run_process(command)[1]


def test_tasks_of_templates_are_broken_between_words(configured: CommandLine) -> None:
    _, shown = on_a_terminal(configured, "templates", COLUMNS="40")

    assert "\r\n  Make every test pass by fixing the\r\n  code, not the tests.\r\n" in shown
    assert (
        "\n  Make every test pass by fixing the code, not the tests.\n"
        in (configured.run_process("templates")[1])
    )
