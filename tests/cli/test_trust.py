"""Nothing a repository says is run before the person trusted this very content."""

import hashlib
import os
import pty
import subprocess
from pathlib import Path

import pytest

from cli.desk import SESSION, Desk, error
from client.world import BIN

TEXT = "[checks.test]\ncommand = 'touch marker'\n"
HASH = hashlib.sha256(TEXT.encode()).hexdigest()


@pytest.fixture(autouse=True)
def path(desk: Desk) -> Path:
    return desk.write("untildone.toml", TEXT)


def ran(desk: Desk) -> bool:
    return (desk.project / "marker").exists()


def test_what_is_not_trusted_is_not_run(desk: Desk) -> None:
    ignored = error(
        f"no check was found in `{desk.project}`, and `untildone.toml` is not trusted and ignored",
        "`untildone trust` shows it and asks",
    )

    assert desk.typed("check") == ignored
    assert desk.typed("start", "--session", SESSION) == ignored
    assert not ran(desk)


def test_what_is_found_is_run_instead_and_it_is_said(desk: Desk) -> None:
    desk.write("Makefile", "test:\n\ttrue\n")
    ignored = "`untildone.toml` is not trusted and ignored; `untildone trust` shows it"

    checked = desk.untildone("check")
    started = desk.untildone("start", "--session", SESSION)

    assert checked.returncode == 0
    assert [check["command"] for check in desk.json("check")["checks"]] == ["make test"]
    assert ignored in checked.stderr.splitlines()
    assert ignored in started.stderr.splitlines()
    assert not ran(desk)


def test_it_is_shown_and_asked_about(desk: Desk, path: Path) -> None:
    done = desk.untildone("trust", stdin="y\n")

    shown = f"{TEXT}\ntrust this content? [y/N]: trusted: {path} (sha256 {HASH})\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, shown, "")
    assert desk.typed("check")[0] == 0
    assert ran(desk)


def test_a_no_is_a_no(desk: Desk) -> None:
    done = desk.untildone("trust", stdin="n\n")

    assert (done.returncode, done.stderr) == (1, "not trusted: none of its commands is run\n")
    assert desk.typed("check")[0] == 2


def test_nobody_there_to_answer(desk: Desk) -> None:
    done = desk.untildone("trust")

    assert (done.returncode, "", done.stderr) == error(
        "there is no terminal to ask on",
        "use `--yes`, or `--sha256 H` for a known content of `untildone.toml`",
    )


def test_ctrl_c_at_the_question_is_no_answer(desk: Desk) -> None:
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [BIN / "untildone", "trust"],
        cwd=desk.project,
        env=desk.environ,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(theirs)
    # End of input, as Ctrl-D types it.
    os.write(ours, b"\x04")
    _, told = child.communicate(timeout=20)
    os.close(ours)

    assert (child.returncode, told.splitlines()[-1]) == (130, "interrupted")


def test_a_hash_needs_no_answer(desk: Desk, path: Path) -> None:
    wrong = desk.untildone("trust", "--sha256", "00")
    empty = desk.untildone("trust", "--sha256", "", "--yes")
    right = desk.untildone("trust", "--sha256", HASH.upper())

    hint = "`untildone trust` shows the content"
    assert (2, wrong.stdout, wrong.stderr) == error(f"`{path}` has sha256 {HASH}, not 00", hint)
    assert (2, empty.stdout, empty.stderr) == error(
        f"`{path}` has sha256 {HASH}, not an empty one", hint
    )
    assert (right.returncode, right.stdout.splitlines()[-1]) == (
        0,
        f"trusted: {path} (sha256 {HASH})",
    )


def test_a_change_revokes_it_and_is_shown(desk: Desk, path: Path) -> None:
    desk.typed("trust", "--yes")
    path.write_text(TEXT.replace("marker", "marker other"), encoding="utf-8")

    assert desk.typed("check")[0] == 2
    assert not ran(desk)
    shown = desk.untildone("trust", stdin="n\n").stdout.splitlines()
    assert shown[:-1] == [
        "--- trusted",
        "+++ current",
        "@@ -1,2 +1,2 @@",
        " [checks.test]",
        "-command = 'touch marker'",
        "+command = 'touch marker other'",
    ]


def test_what_did_not_change_is_said_to_be_so(desk: Desk, path: Path) -> None:
    desk.typed("trust", "--yes")

    shown = desk.untildone("trust", "--yes").stdout.splitlines()

    assert shown == ["unchanged since it was trusted", f"trusted: {path} (sha256 {HASH})"]


def test_nothing_in_it_can_hide_what_it_says(desk: Desk) -> None:
    desk.write("untildone.toml", "# \u202e\u009b2K\n" + TEXT)

    shown = desk.untildone("trust", stdin="n\n").stdout

    assert shown.startswith("# \\u202e\\x9b2K\n[checks.test]\n")


def test_the_section_of_a_pyproject_is_trusted_like_it(desk: Desk, path: Path) -> None:
    path.unlink()
    desk.write("pyproject.toml", TEXT.replace("[", "[tool.untildone."))

    untrusted = desk.untildone("check").stderr.splitlines()[0]
    assert untrusted == "`pyproject.toml` is not trusted and ignored; `untildone trust` shows it"
    assert desk.typed("trust", "--yes")[0] == 0
    assert desk.json("check")["checks"][0]["command"] == "touch marker"


def test_an_agent_cannot_trust(desk: Desk) -> None:
    desk.event("SessionStart", source="startup")
    desk.agent_calls_a_tool()

    assert desk.said("trust", "--yes", CLAUDE_CODE_SESSION_ID=SESSION) == error(
        "only the user may run `untildone trust`",
        "ask them to run it in their own terminal, outside of a session",
    )


def test_nothing_to_trust(desk: Desk, path: Path) -> None:
    path.unlink()

    assert desk.typed("trust") == error(
        f"there is no `untildone.toml` in `{desk.project}`",
        "detected checks need no trust: `untildone detect` lists them",
    )


def test_loop_files_of_other_tools_are_trusted_for_this_project(desk: Desk) -> None:
    code, said, _ = desk.typed("trust", "--dialects")
    taken = desk.typed("trust", "--no-dialects")

    first, *paths, last = said.splitlines()
    assert (code, first) == (
        0,
        f"trusted in {desk.project}, whoever writes them, with the commands they name:",
    )
    assert "  .claude/ralph-loop.local.md" in paths
    assert last.endswith("`untildone trust --no-dialects` ends this")
    assert taken == (
        0,
        f"loop files of other tools in {desk.project} are no longer obeyed\n",
        "",
    )


def test_loop_files_are_not_trusted_from_inside_a_session(desk: Desk) -> None:
    desk.event("SessionStart", source="startup")

    assert desk.said("trust", "--dialects") == error(
        "only the user may run `untildone trust`",
        "ask them to run it in their own terminal, outside of a session",
    )
