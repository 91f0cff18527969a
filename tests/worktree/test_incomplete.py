"""Submodules and LFS files: what is not there is told, what changed in them is seen."""

from pathlib import Path

import pytest

from untildone.worktree.incomplete import describe_missing_parts
from untildone.worktree.listing import list_changed_files
from world import Machine

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A repository with the submodule `lib`."""
    library = Machine(tmp_path, project="library")
    library.write("a.py", "a = 1\n")
    for line in ("init -q", "add .", "commit -qm a"):
        library.git(*line.split())
    machine = Machine(tmp_path)
    machine.git("init", "-q")
    allow = ("-c", "protocol.file.allow=always")
    machine.git(*allow, "submodule", "--quiet", "add", str(library.project), "lib")
    machine.git("commit", "-qm", "a")
    return machine


def test_a_complete_tree_is_not_mentioned(machine: Machine) -> None:
    machine.write(".gitattributes", "*.bin filter=lfs\n")
    machine.write("a.bin", "real content")
    machine.git("add", ".")

    assert list(describe_missing_parts(machine.project)) == []


def test_what_is_not_checked_out_is_told(machine: Machine) -> None:
    machine.git("submodule", "--quiet", "deinit", "--all")
    machine.write(".gitattributes", "*.bin filter=lfs\n")
    machine.write("data/a.bin", POINTER)
    machine.write("data/a.txt", POINTER)
    machine.git("add", ".")

    assert list(describe_missing_parts(machine.project)) == [
        "the submodule `lib` is not checked out, so its files are not checked:"
        " `git submodule update --init lib`",
        "1 LFS file is not fetched, such as `data/a.bin`: `git lfs pull`",
    ]


def test_outside_git_nothing_is_missing(tmp_path: Path) -> None:
    assert list(describe_missing_parts(tmp_path)) == []


def test_changed_files_of_a_submodule_count(machine: Machine) -> None:
    assert list_changed_files(machine.project) == frozenset()

    machine.write("lib/a.py", "a = 2\n")
    machine.write("lib/new.py", "")

    assert list_changed_files(machine.project) == {"lib/a.py", "lib/new.py"}


def test_files_of_another_commit_of_a_submodule_count(machine: Machine) -> None:
    machine.write("lib/a.py", "a = 2\n")
    machine.git("-C", "lib", "commit", "-qam", "b")

    assert "lib/a.py" in list_changed_files(machine.project)
