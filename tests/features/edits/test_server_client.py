"""What the judge learns about edited files from the process that keeps servers warm."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from keepers import PATIENCE, keepers, wait_until
from untildone.checks.lsp.daemon_socket import DiagnosticsReport
from untildone.engine.context import project_folder
from untildone.features.edits.server_client import (
    ADDRESS_FILE,
    ask_servers,
    list_edited_files,
    load_address,
)
from untildone.process.runner import is_alive
from world import World

FAKE = Path(__file__).parents[2] / "checks" / "lsp" / "fake_server.py"


@pytest.fixture
def world(world: World) -> World:
    """A project whose own `ruff` is a server of ours; it says what the file says."""
    ruff = world.write(".venv/bin/ruff", f"#!/bin/sh\nexec {sys.executable} -I -S {FAKE} pulled\n")
    ruff.chmod(0o755)
    (get_kept_folder(world) / "checks").mkdir(parents=True)
    return world


def get_kept_folder(world: World) -> Path:
    return project_folder(world.state_folder, world.project)


def snapshot(world: World, *files: Path, wait: float = PATIENCE) -> DiagnosticsReport | None:
    return ask_servers(world.context, world.project, files, wait=wait)


def find_texts(world: World, *files: Path) -> list[tuple[str, list[str]]]:
    taken = snapshot(world, *files)
    assert taken
    return [(file.path, [found.text for found in file.findings]) for file in taken.files]


def test_the_first_question_starts_the_process_and_the_next_finds_it_warm(world: World) -> None:
    file = world.write("a.py", "one")
    first = find_texts(world, file)
    started = keepers(world.project)
    world.write("a.py", "two")

    assert (first, find_texts(world, file)) == ([("a.py", ["one"])], [("a.py", ["two"])])
    assert (len(started), keepers(world.project)) == (1, started)


def test_a_snapshot_counts_the_file_as_it_is_now(world: World) -> None:
    file = world.write("a.py", "one")
    snapshot(world, file)
    taken = snapshot(world, file)

    assert taken
    (only,) = taken.files
    assert (only.path, only.servers, [finding.text for finding in only.findings]) == (
        "a.py",
        ("ruff",),
        ["one"],
    )
    assert taken.reasons == ()


def test_a_text_is_taken_for_what_is_in_the_file_until_the_next_question(world: World) -> None:
    file = world.write("a.py", "now")
    before = ask_servers(
        world.context, world.project, [file], wait=PATIENCE, texts={file: "before"}
    )

    assert before
    assert [found.text for file in before.files for found in file.findings] == ["before"]
    assert find_texts(world, file) == [("a.py", ["now"])]


def test_without_time_to_wait_the_servers_get_warm_all_the_same(world: World) -> None:
    file = world.write("a.py", "one")

    began = time.monotonic()
    assert snapshot(world, file, wait=0) is None
    assert time.monotonic() - began < 2
    assert wait_until(lambda: load_address(get_kept_folder(world)))
    assert find_texts(world, file) == [("a.py", ["one"])]
    assert snapshot(world, file, wait=0) is None
    assert len(keepers(world.project)) == 1


def test_nothing_is_started_for_files_no_server_knows(world: World) -> None:
    assert snapshot(world, world.write("a.txt", "one")) is None
    assert snapshot(world, world.project / os.fsdecode(b"\xff.py")) is None
    assert snapshot(world) is None
    assert (keepers(world.project), [path.name for path in get_kept_folder(world).iterdir()]) == (
        [],
        ["checks"],
    )


def test_a_killed_process_is_replaced(world: World) -> None:
    file = world.write("a.py", "one")
    snapshot(world, file)
    (killed,) = keepers(world.project)
    os.kill(killed, signal.SIGKILL)
    assert wait_until(lambda: not is_alive(killed))

    assert find_texts(world, file) == [("a.py", ["one"])]
    assert killed not in keepers(world.project)


def test_two_at_once_leave_one_process(world: World) -> None:
    file = world.write("a.py", "one")
    snapshot(world, file, wait=0)
    snapshot(world, file, wait=0)

    assert find_texts(world, file) == [("a.py", ["one"])]
    assert wait_until(lambda: len(keepers(world.project)) == 1)


def test_the_process_ends_with_the_states_home(world: World) -> None:
    snapshot(world, world.write("a.py", "one"))
    shutil.rmtree(world.state_folder)

    assert wait_until(lambda: not keepers(world.project))


def test_the_process_ends_with_the_project(world: World) -> None:
    snapshot(world, world.write("a.py", "one"))
    shutil.rmtree(world.project)

    assert wait_until(lambda: not keepers(world.project))


def test_the_process_ends_by_itself_when_nobody_asks(world: World) -> None:
    command = [sys.executable, "-I", "-m", "untildone", "diagnose", "--idle", "0.5"]
    done = subprocess.run(
        [*command, str(world.project), str(world.write("a.py", "one"))],
        env={**os.environ, "UNTILDONE_HOME": str(world.state_folder)},
        timeout=60,
        check=False,
        capture_output=True,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert sorted(path.name for path in get_kept_folder(world).iterdir()) == [
        "checks",
        "diagnose.lock",
    ]


def test_a_damaged_or_stale_address_is_replaced(world: World) -> None:
    file = world.write("a.py", "one")
    (get_kept_folder(world) / ADDRESS_FILE).write_text(
        '{"token": "x", "port": 1}', encoding="utf-8"
    )

    assert find_texts(world, file) == [("a.py", ["one"])]
    (get_kept_folder(world) / ADDRESS_FILE).write_text("{", encoding="utf-8")
    assert load_address(get_kept_folder(world)) is None


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
    assert list_edited_files(calls, tmp_path / "link") == tuple(project / name for name in names)
