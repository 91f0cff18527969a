"""Nothing a repository says is run before the user trusted this very content."""

import hashlib
import os
import pty
import subprocess
from pathlib import Path

import pytest

from cli.world import CommandLine, error
from client.world import BIN
from world import SESSION

TEXT = "[checks.test]\ncommand = 'touch marker'\n"
HASH = hashlib.sha256(TEXT.encode()).hexdigest()


@pytest.fixture(autouse=True)
def path(cli: CommandLine) -> Path:
    return cli.write("untildone.toml", TEXT)


def check_has_run(cli: CommandLine) -> bool:
    return (cli.project / "marker").exists()


def test_what_is_not_trusted_is_not_run(cli: CommandLine) -> None:
    ignored = error(
        f"no check was found in `{cli.project}`, and `untildone.toml` is not trusted and ignored",
        "`untildone trust` shows it and asks",
    )

    assert cli.run("check") == ignored
    assert cli.run("start", "--session", SESSION) == ignored
    assert not check_has_run(cli)


def test_what_is_found_is_run_instead_and_it_is_said(cli: CommandLine) -> None:
    cli.write("Makefile", "test:\n\ttrue\n")
    ignored = "`untildone.toml` is not trusted and ignored; `untildone trust` shows it"

    checked = cli.untildone("check")
    started = cli.untildone("start", "--session", SESSION)

    assert checked.returncode == 0
    assert [check["command"] for check in cli.json("check")["checks"]] == ["make test"]
    assert ignored in checked.stderr.splitlines()
    assert ignored in started.stderr.splitlines()
    assert not check_has_run(cli)


def test_it_is_shown_and_asked_about(cli: CommandLine, path: Path) -> None:
    done = cli.untildone("trust", stdin="y\n")

    shown = f"{TEXT}\ntrust this content? [y/N]: trusted: {path} (sha256 {HASH})\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, shown, "")
    assert cli.run("check")[0] == 0
    assert check_has_run(cli)


def test_a_no_is_a_no(cli: CommandLine) -> None:
    done = cli.untildone("trust", stdin="n\n")

    assert (done.returncode, done.stderr) == (1, "not trusted: none of its commands is run\n")
    assert cli.run("check")[0] == 2


def test_nobody_there_to_answer(cli: CommandLine) -> None:
    done = cli.untildone("trust")

    assert (done.returncode, "", done.stderr) == error(
        "there is no terminal to ask on",
        "use `--yes`, or `--sha256 H` for a known content of `untildone.toml`",
    )


def test_ctrl_c_at_the_question_is_no_answer(cli: CommandLine) -> None:
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [BIN / "untildone", "trust"],
        cwd=cli.project,
        env=cli.environ,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(theirs)
    # End of input, as Ctrl-D types it.
    os.write(ours, b"\x04")
    _, reported = child.communicate(timeout=20)
    os.close(ours)

    assert (child.returncode, reported.splitlines()[-1]) == (130, "interrupted")


def test_a_hash_needs_no_answer(cli: CommandLine, path: Path) -> None:
    wrong = cli.untildone("trust", "--sha256", "00")
    empty = cli.untildone("trust", "--sha256", "", "--yes")
    right = cli.untildone("trust", "--sha256", HASH.upper())

    hint = "`untildone trust` shows the content"
    assert (2, wrong.stdout, wrong.stderr) == error(f"`{path}` has sha256 {HASH}, not 00", hint)
    assert (2, empty.stdout, empty.stderr) == error(
        f"`{path}` has sha256 {HASH}, not an empty one", hint
    )
    assert (right.returncode, right.stdout.splitlines()[-1]) == (
        0,
        f"trusted: {path} (sha256 {HASH})",
    )


def test_a_change_revokes_it_and_is_shown(cli: CommandLine, path: Path) -> None:
    cli.run("trust", "--yes")
    path.write_text(TEXT.replace("marker", "marker other"), encoding="utf-8")

    assert cli.run("check")[0] == 2
    assert not check_has_run(cli)
    shown = cli.untildone("trust", stdin="n\n").stdout.splitlines()
    assert shown[:-1] == [
        "--- trusted",
        "+++ current",
        "@@ -1,2 +1,2 @@",
        " [checks.test]",
        "-command = 'touch marker'",
        "+command = 'touch marker other'",
    ]


def test_what_did_not_change_is_said_to_be_so(cli: CommandLine, path: Path) -> None:
    cli.run("trust", "--yes")

    shown = cli.untildone("trust", "--yes").stdout.splitlines()

    assert shown == ["unchanged since it was trusted", f"trusted: {path} (sha256 {HASH})"]


def test_nothing_in_it_can_hide_what_it_says(cli: CommandLine) -> None:
    cli.write("untildone.toml", "# \u202e\u009b2K\n" + TEXT)

    shown = cli.untildone("trust", stdin="n\n").stdout

    assert shown.startswith("# \\u202e\\x9b2K\n[checks.test]\n")


def test_the_section_of_a_pyproject_is_trusted_like_it(cli: CommandLine, path: Path) -> None:
    path.unlink()
    cli.write("pyproject.toml", TEXT.replace("[", "[tool.untildone."))

    untrusted = cli.untildone("check").stderr.splitlines()[0]
    assert untrusted == "`pyproject.toml` is not trusted and ignored; `untildone trust` shows it"
    assert cli.run("trust", "--yes")[0] == 0
    assert cli.json("check")["checks"][0]["command"] == "touch marker"


def test_an_agent_cannot_trust(cli: CommandLine) -> None:
    cli.event("SessionStart", source="startup")
    cli.agent_calls_a_tool()

    assert cli.run_process("trust", "--yes", CLAUDE_CODE_SESSION_ID=SESSION) == error(
        "only the user may run `untildone trust`",
        "ask them to run it in their own terminal, outside of a session",
    )


def test_nothing_to_trust(cli: CommandLine, path: Path) -> None:
    path.unlink()

    assert cli.run("trust") == error(
        f"there is no `untildone.toml` in `{cli.project}`",
        "detected checks need no trust: `untildone detect` lists them",
    )


def test_loop_files_of_other_tools_are_trusted_for_this_project(cli: CommandLine) -> None:
    code, stdout, _ = cli.run("trust", "--dialects")
    taken = cli.run("trust", "--no-dialects")

    first, *paths, last = stdout.splitlines()
    assert (code, first) == (
        0,
        f"trusted in {cli.project}, whoever writes them, with the commands they name:",
    )
    assert "  .claude/ralph-loop.local.md" in paths
    assert last.endswith("`untildone trust --no-dialects` ends this")
    assert taken == (
        0,
        f"loop files of other tools in {cli.project} are no longer obeyed\n",
        "",
    )


def test_loop_files_are_not_trusted_from_inside_a_session(cli: CommandLine) -> None:
    cli.event("SessionStart", source="startup")

    assert cli.run_process("trust", "--dialects") == error(
        "only the user may run `untildone trust`",
        "ask them to run it in their own terminal, outside of a session",
    )
