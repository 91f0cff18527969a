"""What a terminal shows: live lines, colours unless the user wants none."""

import os
import pty
import subprocess
import tempfile
from pathlib import Path

import pytest

from cli.world import CommandLine
from client.world import BIN
from snippets import snippet
from world import CHECK, SESSION

GREEN_COLOUR = "\x1b[32m"


def on_a_terminal(cli: CommandLine, *arguments: str, **environ: str) -> tuple[int, str]:
    """Exit code and what a terminal got to show."""
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
    shown = b""
    while data := _read(ours):
        shown += data
    os.close(ours)
    return child.wait(timeout=20), shown.decode()


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
