"""What the judge learns about edited files from the process that keeps servers warm."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from keepers import PATIENCE, end_keepers, keepers, until
from untildone.app import open_context
from untildone.checks.lsp.daemon_socket import DiagnosticsReport
from untildone.engine.context import Context, project_folder
from untildone.features.edits.server_client import (
    ADDRESS_FILE,
    ask_servers,
    edited_files,
    load_address,
)
from untildone.process.runner import is_alive

FAKE = Path(__file__).parents[2] / "checks" / "lsp" / "fake_server.py"


class World:
    """A project whose own `ruff` is a server of ours; it says what the file says."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "state"
        self.home.mkdir(mode=0o700)
        self.project = folder / "project"
        programs = self.project / ".venv" / "bin"
        programs.mkdir(parents=True)
        (programs / "ruff").write_text(
            f"#!/bin/sh\nexec {sys.executable} -I -S {FAKE} pulled\n", encoding="utf-8"
        )
        (programs / "ruff").chmod(0o755)
        self.here: Context = open_context({}, home=str(self.home))
        (self.folder / "checks").mkdir(parents=True)

    @property
    def folder(self) -> Path:
        return project_folder(self.home, self.project)

    def write(self, name: str, text: str) -> Path:
        path = self.project / name
        path.write_text(text, encoding="utf-8")
        return path

    def snapshot(self, *files: Path, wait: float = PATIENCE) -> DiagnosticsReport | None:
        return ask_servers(self.here, self.project, files, wait=wait)

    def said(self, *files: Path) -> list[tuple[str, list[str]]]:
        taken = self.snapshot(*files)
        assert taken
        return [(file.path, [found.text for found in file.findings]) for file in taken.files]

    def warm(self) -> list[int]:
        return keepers(self.project)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    end_keepers(world.project)


def test_the_first_question_starts_the_process_and_the_next_finds_it_warm(world: World) -> None:
    file = world.write("a.py", "one")
    first = world.said(file)
    started = world.warm()
    world.write("a.py", "two")

    assert (first, world.said(file)) == ([("a.py", ["one"])], [("a.py", ["two"])])
    assert (len(started), world.warm()) == (1, started)


def test_a_snapshot_counts_the_file_as_it_is_now(world: World) -> None:
    file = world.write("a.py", "one")
    world.snapshot(file)
    taken = world.snapshot(file)

    assert taken
    (only,) = taken.files
    assert (only.path, only.servers, [each.text for each in only.findings]) == (
        "a.py",
        ("ruff",),
        ["one"],
    )
    assert taken.reasons == ()


def test_a_text_is_taken_for_what_is_in_the_file_until_the_next_question(world: World) -> None:
    file = world.write("a.py", "now")
    before = ask_servers(world.here, world.project, [file], wait=PATIENCE, texts={file: "before"})

    assert before
    assert [found.text for file in before.files for found in file.findings] == ["before"]
    assert world.said(file) == [("a.py", ["now"])]


def test_without_time_to_wait_the_servers_get_warm_all_the_same(world: World) -> None:
    file = world.write("a.py", "one")

    began = time.monotonic()
    assert world.snapshot(file, wait=0) is None
    assert time.monotonic() - began < 2
    assert until(lambda: load_address(world.folder))
    assert world.said(file) == [("a.py", ["one"])]
    assert world.snapshot(file, wait=0) is None
    assert len(world.warm()) == 1


def test_nothing_is_started_for_files_no_server_knows(world: World) -> None:
    assert world.snapshot(world.write("a.txt", "one")) is None
    assert world.snapshot(world.project / os.fsdecode(b"\xff.py")) is None
    assert world.snapshot() is None
    assert (world.warm(), [path.name for path in world.folder.iterdir()]) == ([], ["checks"])


def test_a_killed_process_is_replaced(world: World) -> None:
    file = world.write("a.py", "one")
    world.snapshot(file)
    (killed,) = world.warm()
    os.kill(killed, signal.SIGKILL)
    assert until(lambda: not is_alive(killed))

    assert world.said(file) == [("a.py", ["one"])]
    assert killed not in world.warm()


def test_two_at_once_leave_one_process(world: World) -> None:
    file = world.write("a.py", "one")
    world.snapshot(file, wait=0)
    world.snapshot(file, wait=0)

    assert world.said(file) == [("a.py", ["one"])]
    assert until(lambda: len(world.warm()) == 1)


def test_the_process_ends_with_the_states_home(world: World) -> None:
    world.snapshot(world.write("a.py", "one"))
    shutil.rmtree(world.home)

    assert until(lambda: not world.warm())


def test_the_process_ends_with_the_project(world: World) -> None:
    world.snapshot(world.write("a.py", "one"))
    shutil.rmtree(world.project)

    assert until(lambda: not world.warm())


def test_the_process_ends_by_itself_when_nobody_asks(world: World) -> None:
    command = [sys.executable, "-I", "-m", "untildone", "diagnose", "--idle", "0.5"]
    done = subprocess.run(
        [*command, str(world.project), str(world.write("a.py", "one"))],
        env={**os.environ, "UNTILDONE_HOME": str(world.home)},
        timeout=60,
        check=False,
        capture_output=True,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert sorted(path.name for path in world.folder.iterdir()) == ["checks", "diagnose.lock"]


def test_a_door_that_is_damaged_or_leads_elsewhere_is_no_door(world: World) -> None:
    file = world.write("a.py", "one")
    (world.folder / ADDRESS_FILE).write_text('{"token": "x", "port": 1}', encoding="utf-8")

    assert world.said(file) == [("a.py", ["one"])]
    (world.folder / ADDRESS_FILE).write_text("{", encoding="utf-8")
    assert load_address(world.folder) is None


def call(tool: str, path: object, **more: Any) -> dict[str, Any]:  # noqa: ANN401  any field
    return {"tool_name": tool, "tool_input": {"file_path": path}, **more}


def test_edited_files_are_those_of_the_project_that_are_there(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for name in ("a.py", "b.py", "c.py", "d.py", "e.ipynb", "not-edited.py", "../outside.py"):
        (project / name).touch()
    (tmp_path / "link").symlink_to(project)
    calls = {
        "1": [call("Write", f"{project}/a.py"), call("Edit", f"{project}/a.py")],
        "2": [
            call("MultiEdit", f"{tmp_path}/link/b.py"),
            call("Edit", "c.py", cwd=str(project)),
            {"tool_name": "NotebookEdit", "tool_input": {"notebook_path": f"{project}/e.ipynb"}},
            {"cut": True, "tool_name": "Write", "file_path": f"{project}/d.py"},
            call("Read", f"{project}/not-edited.py"),
            call("Write", f"{project}/gone.py"),
            call("Write", f"{project}/../outside.py"),
            call("Write", str(project)),
            call("Write", 7),
            call("Write", "a\0b"),
            {"tool_name": "Write", "tool_input": None},
            {},
        ],
    }

    names = ("a.py", "b.py", "c.py", "e.ipynb", "d.py")
    assert edited_files(calls, tmp_path / "link") == tuple(project / name for name in names)
