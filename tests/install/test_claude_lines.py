"""The installed lines as the shell reads them, wherever the interpreter lies."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from untildone.install.claude_lines import (
    HookProgram,
    build_lines,
    build_settings_entries,
    build_settings_program,
    build_shared_program,
)

ODD = "my env $(x)"
PROGRAMS = {
    "settings": build_settings_program(
        home=Path("/a b/it's"), python=Path("/c d/py thon"), package=Path("/e 'f'/untildone")
    ),
    "plugin": build_shared_program("plugin"),
}


@pytest.mark.parametrize("source", PROGRAMS)
def test_every_line_is_sound_shell(source: str) -> None:
    for line in build_lines(PROGRAMS[source]).values():
        checked = subprocess.run(["sh", "-n", "-c", line], capture_output=True, check=False)
        assert (checked.returncode, checked.stderr) == (0, b"")


class Machine:
    """Where a started interpreter only says so."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.session = folder / "state" / "sessions" / "claude" / "s1"
        self.write("state/sessions/claude/s1/began", seconds=1_000)

    def write(self, path: str, *, seconds: int = 2_000) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        os.utime(file, (seconds, seconds))

    def starts(self, prompt: str = "hello", event: str = "UserPromptSubmit") -> bool:
        program = HookProgram(
            home=str(self.folder / "state"), program="echo", arguments="started", source="test"
        )
        environ = {
            "PATH": os.defpath,
            "HOME": str(self.folder),
            "CLAUDE_CODE_SESSION_ID": "s1",
            "CLAUDE_PROJECT_DIR": str(self.folder / "project"),
        }
        line = build_lines(program)[event]
        done = subprocess.run(
            ["sh", "-c", line],
            env=environ,
            input=prompt,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.startswith("started")


def test_a_prompt_without_anything_to_recall_starts_no_interpreter(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.write("project/TODO.md", seconds=900)
    machine.write(".claude/tasks/s2/1.json")

    assert not machine.starts()
    assert machine.starts("untildone")


@pytest.mark.parametrize(
    "path",
    [
        "project/TODO.md",
        "project/fix_plan.md",
        "project/.ralph/fix_plan.md",
        "project/.claude/todo_state.json",
        ".claude/tasks/s1/1.json",
        ".claude/todos/s1-agent-s1.json",
        "state/sessions/claude/s1/todos.json",
        "state/sessions/claude/s1/loop",
    ],
)
def test_a_prompt_with_something_to_recall_starts_one(tmp_path: Path, path: str) -> None:
    machine = Machine(tmp_path)
    machine.write(path)

    assert machine.starts()


@pytest.mark.parametrize(
    ("prompt", "starts"),
    [
        ("loop: port it", True),
        ("Loop - port it", True),
        ("LOOP: port it", True),
        ("what is Loop?", True),
        ("loop help", True),
        ("How does loop work?", True),
        ("Cancel the loop.", True),
        ("pause this loop", True),
        ("RESUME THE LOOP", True),
        ("resume", False),
        ("keep going", False),
        ("don't stop", False),
        ("unroll this loop", False),
    ],
)
def test_only_a_prompt_that_may_mean_a_loop_starts_one(
    tmp_path: Path, prompt: str, starts: bool
) -> None:
    assert Machine(tmp_path).starts(f'{{"prompt":"{prompt}"}}') is starts


@pytest.mark.slow
def test_an_interpreter_in_a_folder_with_odd_characters_holds(tmp_path: Path) -> None:
    environment = tmp_path / ODD
    environment.symlink_to(Path(sys.prefix), target_is_directory=True)
    home = tmp_path / "home"
    home.mkdir()
    environ = {"HOME": str(home), "PATH": os.defpath, "LANG": "C.UTF-8"}
    python = str(environment / "bin" / "python")

    for command in ("init", "drill"):
        done = subprocess.run(
            [python, "-m", "untildone", command],
            cwd=tmp_path,
            env=environ,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert ODD in (home / ".claude" / "settings.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("event", ["Stop", "UserPromptSubmit", "PreToolUse", "ConfigChange"])
def test_a_loop_named_in_the_second_place_alone_is_looked_at(tmp_path: Path, event: str) -> None:
    machine = Machine(tmp_path)
    machine.write("state/held/claude/s1")
    machine.session.joinpath("began").unlink()
    machine.session.rmdir()

    assert machine.starts("untildone", event=event)


@pytest.mark.parametrize("event", ["Stop", "PreToolUse", "ConfigChange"])
def test_a_loop_of_another_session_is_not(tmp_path: Path, event: str) -> None:
    machine = Machine(tmp_path)
    machine.write("state/held/claude/s2")

    assert not machine.starts("untildone", event=event)


def test_any_tool_call_is_looked_at_while_a_first_change_waits_for_its_precheck(
    tmp_path: Path,
) -> None:
    machine = Machine(tmp_path)
    machine.write("state/sessions/claude/s1/loop")
    assert not machine.starts("make", event="PreToolUse")

    machine.write("state/sessions/claude/s1/precheck")

    assert machine.starts("make", event="PreToolUse")


def test_a_prompt_ends_the_display_of_the_loop_that_ended_before_it(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.write("state/sessions/claude/s1/ending")

    assert not machine.starts()
    assert not (machine.session / "ending").exists()


def test_the_client_refreshes_the_status_line_each_second(tmp_path: Path) -> None:
    entries = build_settings_entries(home=tmp_path, python=tmp_path, package=tmp_path)

    assert entries.status_line
    assert entries.status_line["refreshInterval"] == 1
