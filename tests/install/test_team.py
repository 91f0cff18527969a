"""`init --scope project` for a team: two users with homes of their own share one project."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli.world import CommandLine
from untildone.install.claude_lines import build_lines, build_shared_program


@pytest.fixture
def ann(tmp_path: Path) -> CommandLine:
    user = CommandLine(tmp_path / "ann")
    assert user.run_process("init", "--scope", "project")[0] == 0
    return user


def join(folder: Path, project: Path) -> CommandLine:
    """A colleague with a home of their own and the same project."""
    user = CommandLine(folder)
    user.project = project
    return user


def read_files(project: Path) -> dict[str, str]:
    files = (path for path in (project / ".claude").rglob("*") if path.is_file())
    return {str(path.relative_to(project)): path.read_text(encoding="utf-8") for path in files}


def test_the_shared_files_name_nothing_of_one_machine(ann: CommandLine, tmp_path: Path) -> None:
    shared = "".join(read_files(ann.project).values())

    for path in (tmp_path, Path(sys.executable), Path(sys.prefix), Path.home()):
        assert f"{path}/" not in shared + "/"
    assert '"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "60"' in shared
    assert '"Bash(untildone met:*)"' in shared


def test_a_colleague_s_init_changes_no_byte(ann: CommandLine, tmp_path: Path) -> None:
    before = read_files(ann.project)
    bea = join(tmp_path / "bea", ann.project)

    report = bea.json("init", "--scope", "project")

    assert {file["kind"] for file in report["files"]} == {"unchanged"}
    assert read_files(ann.project) == before


@pytest.mark.slow
def test_a_colleague_s_doctor_and_drill_accept_it(ann: CommandLine, tmp_path: Path) -> None:
    bea = join(tmp_path / "bea", ann.project)

    found = bea.json("doctor")["findings"]

    assert [problem for problem in found if problem["level"] == "error"] == []
    assert bea.json("drill")["passed"]


def test_the_doctor_names_a_program_that_is_missing(ann: CommandLine, tmp_path: Path) -> None:
    bea = join(tmp_path / "bea", ann.project)

    found = bea.json("doctor", PATH="/usr/bin:/bin")["findings"]

    settings = ann.project / ".claude" / "settings.json"
    text = f"the hooks in `{settings}` start `untildone`, which is not on `PATH`"
    assert text in [problem["text"] for problem in found]


def test_the_doctor_wants_an_old_line_with_paths_replaced(ann: CommandLine) -> None:
    ann.untildone("init", "--scope", "local")
    local = ann.project / ".claude" / "settings.local.json"
    local.rename(local.with_name("settings.json"))

    found = ann.json("doctor")["findings"]

    (stale,) = [problem for problem in found if problem["name"] == "stale"]
    assert stale["text"].endswith("are out of date: they name paths of one machine")
    assert stale["mend"] == "`untildone init --scope project`"


LINES = build_lines(build_shared_program("project"))
SAID = (
    '{"systemMessage":"untildone is not installed here, so no loop is held:'
    ' install it as its README says"}\n'
)


def run_line(event: str, payload: str, home: Path) -> tuple[int, str, str]:
    """The installed line where untildone is not on PATH, in a session with a loop."""
    folder = home / ".local" / "state" / "untildone" / "sessions" / "claude" / "s1"
    folder.joinpath("calls").mkdir(parents=True)
    for name in ("loop", "active", "session.json", "meter"):
        folder.joinpath(name).touch()
    os.utime(folder / "meter", (1, 1))
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(home), "CLAUDE_CODE_SESSION_ID": "s1"}
    done = subprocess.run(
        ["sh", "-c", LINES[event]],
        env=environ,
        input=payload,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("event", LINES)
def test_no_event_fails_where_the_program_is_missing(tmp_path: Path, event: str) -> None:
    said = SAID if event == "Stop" else ""

    assert run_line(event, '{"tool_input":"untildone"}', tmp_path) == (0, said, "")


@pytest.mark.parametrize(
    ("event", "payload", "said"),
    [
        ("SessionStart", '{"source":"startup"}', SAID),
        ("SessionStart", '{"source":"compact"}', ""),
        ("UserPromptSubmit", '{"prompt":"wait until it is green"}', ""),
        ("UserPromptSubmit", '{"prompt":"/untildone:test"}', SAID),
        ("UserPromptSubmit", '{"prompt":"test relentlessly"}', SAID),
    ],
)
def test_the_missing_program_is_named_once(
    tmp_path: Path, event: str, payload: str, said: str
) -> None:
    assert run_line(event, payload, tmp_path) == (0, said, "")
