"""The command line as a whole: its help, its errors, and the streams it writes to."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from cli.world import CommandLine, error
from client.world import BIN
from untildone import __version__
from untildone.cli.main import COMMANDS, cli


def test_the_version(cli: CommandLine) -> None:
    assert cli.run_process("--version") == (0, f"untildone, version {__version__}\n", "")


def test_the_module_is_the_command(cli: CommandLine) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "untildone", "--version"],
        env=cli.environ,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == f"untildone, version {__version__}\n"


def test_the_help_lists_every_command(cli: CommandLine) -> None:
    code, stdout, stderr = cli.run_process("--help")

    listed = re.findall(r"^  (\w+)  +[A-Z]", stdout.partition("Commands:")[2], re.MULTILINE)
    assert (code, stderr) == (0, "")
    assert listed == [name for name in COMMANDS if not meant_for_programs(name)]


def meant_for_programs(name: str) -> bool:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    return command.hidden


def test_no_command_at_all_is_wrong_use_and_shows_the_help(cli: CommandLine) -> None:
    code, stdout, stderr = cli.run_process()

    assert (code, stdout) == (2, "")
    assert stderr.startswith("Usage: untildone [OPTIONS] COMMAND [ARGS]...\n")


def test_a_bug_of_ours_is_reported_with_a_report_to_paste(cli: CommandLine, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "msgspec.py").write_text("raise ValueError('half upgraded')\n", encoding="utf-8")

    code, stdout, stderr = cli.run_process("note", "x" * 300, PYTHONPATH=str(broken))

    assert (code, stdout) == (3, "")
    lines = stderr.splitlines()
    assert lines[0] == "error: this is a bug in untildone; please report it with the following"
    assert lines[2].startswith(f"untildone {__version__}, Python 3.")
    assert lines[3] == f"arguments: ['note', '{'x' * 200}']"
    assert lines[5:7] == ["```", "Traceback (most recent call last):"]
    assert lines[-2:] == ["ValueError: half upgraded", "```"]


@pytest.mark.parametrize("arguments", [("status",), ("--help",), ("pause", "-h"), ("doctor",)])
def test_a_reader_that_had_enough_is_no_error(cli: CommandLine, arguments: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        done = subprocess.run(
            [BIN / "untildone", *arguments],
            cwd=cli.project,
            env=cli.environ,
            stdout=pipe,
            stderr=subprocess.PIPE,
            check=False,
        )

    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
def test_output_that_cannot_be_written_is_reported(cli: CommandLine) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [BIN / "untildone", "status", "--json"],
            cwd=cli.project,
            env=cli.environ,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert (done.returncode, "", done.stderr) == error(
        "the output cannot be written: no space left on device", "free some space and try again"
    )


def test_ctrl_c_ends_a_command_as_interrupted(cli: CommandLine) -> None:
    child = subprocess.Popen(
        [BIN / "untildone", "status", "--watch", "--json"],
        cwd=cli.project,
        env={**cli.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    child.stdout.readline()
    # It has shown the state and sleeps now.
    time.sleep(0.1)

    child.send_signal(signal.SIGINT)
    _, reported = child.communicate(timeout=20)

    assert (child.returncode, reported.strip()) == (130, "interrupted")


def test_a_folder_that_is_gone(cli: CommandLine, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = 'rmdir "$PWD" && exec untildone status'

    done = subprocess.run(
        ["sh", "-c", command],
        cwd=gone,
        env=cli.environ,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == error(
        "the current folder no longer exists", "`cd` elsewhere, or give `--project DIR`"
    )


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8:strict"])
def test_no_encoding_of_the_terminal_is_an_obstacle(cli: CommandLine, encoding: str) -> None:
    loop = cli.start("--check", "false", "--task", "größer ☃ \udcff")

    code, stdout, stderr = cli.run_process("show", loop, PYTHONIOENCODING=encoding)

    assert (code, stderr) == (0, "")
    task = next(line for line in stdout.splitlines() if line.startswith("- task: "))
    assert task.startswith("- task: gr")
    done = cli.untildone("status", "--json", PYTHONIOENCODING=encoding)
    assert json.loads(done.stdout)["loops"][0]["task"] == "größer ☃ \udcff"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
@pytest.mark.parametrize("name", ["two words", "new\nline", "by\udcfftes", "q'u\"o$(te)`s`"])
def test_any_name_of_a_project_will_do(cli: CommandLine, tmp_path: Path, name: str) -> None:
    cli = CommandLine(tmp_path / "odd", project=name, terminal=cli.terminal)
    cli.write("untildone.toml", "[checks.test]\ncommand = 'test -f untildone.toml'\n")

    assert cli.run("trust", "--yes")[0] == 0
    assert cli.json("check")["outcome"] == "green"
    assert cli.json("init", "--scope", "local")["files"][0]["path"] == (
        f"{cli.project}/.claude/settings.local.json"
    )
    loop = cli.start()
    assert [found["project"] for found in cli.json("history")["loops"]] == [str(cli.project)]
    assert cli.run_process("cancel")[1].startswith(f"loop {loop} is cancelled after 0 rounds, ")


def test_what_is_piped_has_no_colours(cli: CommandLine) -> None:
    cli.write("untildone.toml", "[checks.test]\ncommand = 'false'\n")
    cli.run("trust", "--yes")

    for arguments in (("doctor",), ("check",), ("start", "--session", "a")):
        done = cli.untildone(*arguments)
        assert "\x1b" not in done.stdout + done.stderr


def test_a_state_that_is_a_file_is_never_taken_for_no_loop(cli: CommandLine) -> None:
    place = cli.home / "file"
    place.write_text("", encoding="utf-8")

    for arguments in (("status",), ("init", "--dry-run"), ("uninstall",), ("signal",)):
        assert cli.run(*arguments, UNTILDONE_HOME=str(place)) == error(
            f"the state folder `{place}` is not a folder",
            "set `UNTILDONE_HOME` to a folder of your own on a local disk",
        )


def test_a_state_below_a_file(cli: CommandLine) -> None:
    place = cli.write("file", "") / "state"

    assert cli.run("status", UNTILDONE_HOME=str(place)) == error(
        f"the state folder `{place}` cannot be read: Not a directory",
        "set `UNTILDONE_HOME` to a folder of your own on a local disk",
    )


def test_a_state_of_somebody_else(cli: CommandLine) -> None:
    # Root may give a folder away; anybody else finds one that belongs to root.
    place = cli.home / "foreign"
    if os.geteuid() == 0:
        place.mkdir()
        os.chown(place, 65534, -1)
    else:
        place = Path("/usr")
    owner = place.stat().st_uid

    for arguments in (("status",), ("start", "--session", "a", "--check", "true")):
        assert cli.run(*arguments, UNTILDONE_HOME=str(place)) == error(
            f"the state folder `{place}` belongs to user {owner}",
            "set `UNTILDONE_HOME` to a folder of your own on a local disk",
        )


@pytest.mark.skipif(not Path("/sys/kernel").is_dir(), reason="no folder here that refuses root")
def test_a_state_that_cannot_be_made(cli: CommandLine) -> None:
    code, stdout, stderr = cli.run("init", UNTILDONE_HOME="/sys/untildone")

    assert (code, stdout) == (2, "")
    assert stderr.startswith("error: the state folder `/sys/untildone` cannot be made: ")
    assert list(cli.home.iterdir()) == []


def test_a_state_that_is_not_absolute(cli: CommandLine) -> None:
    assert cli.run("status", UNTILDONE_HOME="state") == error(
        "`UNTILDONE_HOME` is `state`, which is not an absolute path",
        f"set it to `{cli.project / 'state'}`",
    )


def test_files_the_machine_refuses_are_reported_without_a_traceback(cli: CommandLine) -> None:
    settings = cli.home / ".claude" / "settings.json"
    settings.mkdir(parents=True)

    assert cli.run_process("init") == error(
        f"`{settings}`: is a directory", "run `untildone doctor` for details"
    )


def test_a_loop_whose_journal_is_damaged(cli: CommandLine) -> None:
    loop = cli.start()
    journal = cli.state_folder / "loops" / loop / "journal.jsonl"
    journal.write_bytes(b"nonsense\n")

    code, stdout, stderr = cli.run_process("rounds", loop)

    assert (code, stdout) == (2, "")
    assert stderr.startswith("error: ")
    assert stderr.endswith("\n\nhint: run `untildone doctor` for details\n")
    assert "Traceback" not in stderr
