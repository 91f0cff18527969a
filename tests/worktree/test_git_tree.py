"""The id of the tree that a commit of everything would have, against git itself."""

import os
from pathlib import Path

import pytest

from untildone.worktree.fingerprint import fingerprint_tree
from untildone.worktree.git_tree import hash_judged_tree, hash_working_tree
from world import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    machine.git("init", "--quiet")
    machine.write_all(
        {
            **{name: f"{name}\n" for name in ("kept", "edited", "removed", "run.sh", "folder")},
            ".gitignore": "ignored\n",
            ".gitattributes": "*.txt text\n",
            "deep/er/file": "x\n",
        }
    )
    machine.git("add", "--all")
    machine.git("commit", "--quiet", "-m", "first")
    return machine


def list_repository(machine: Machine) -> dict[str, bytes]:
    folder = machine.project / ".git"
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def commit_everything(machine: Machine) -> str:
    machine.git("add", "--all")
    machine.git("commit", "--quiet", "--allow-empty", "-m", "all of it")
    return machine.git("rev-parse", "HEAD^{tree}")


def change_files(machine: Machine) -> None:
    """Every kind of change that a tree can show."""
    project = machine.project
    machine.write_all({"edited": "new\n", "new/file": "1\n", "ignored": "2\n", "line\nbreak": "3"})
    (project / "removed").unlink()
    (project / "folder").unlink()
    machine.write("folder/inside", "a folder in the place of a file\n")
    (project / "run.sh").chmod(0o755)
    (project / "link").symlink_to("kept")
    (project / "windows.txt").write_bytes(b"one\r\ntwo\r\n")
    Path(os.fsdecode(os.fsencode(project) + b"/\xff")).write_bytes(b"no UTF-8\n")


def test_it_is_the_tree_of_a_commit_of_all_files_and_changes_nothing(machine: Machine) -> None:
    change_files(machine)
    machine.git("add", "new")
    before = list_repository(machine)

    tree = hash_working_tree(machine.project)

    assert list_repository(machine) == before
    assert tree == commit_everything(machine)
    assert hash_working_tree(machine.project / "deep") == tree


def test_it_is_empty_outside_of_git_and_where_git_fails(tmp_path: Path, machine: Machine) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    unborn = Machine(tmp_path, project="unborn")
    unborn.git("init", "--quiet")
    unborn.git("init", "--quiet", "inner")

    assert hash_working_tree(outside) == ""
    # A repository without a commit cannot be added to another.
    assert hash_working_tree(unborn.project) == ""
    (machine.project / ".git" / "index").write_bytes(b"damaged")
    assert hash_working_tree(machine.project) == ""


def test_before_the_first_commit_it_is_that_of_the_files(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.git("init", "--quiet")
    machine.write("file", "x\n")

    assert hash_working_tree(machine.project) == commit_everything(machine)


def test_no_filter_of_a_submodule_is_run(machine: Machine, tmp_path: Path) -> None:
    inner = Machine(machine.project, project="inner")
    inner.git("init", "--quiet")
    inner.write("file", "x\n")
    commit_everything(inner)
    expected = commit_everything(machine)
    inner.git("config", "filter.evil.clean", f"touch {tmp_path}/harm; cat")
    inner.write(".git/info/attributes", "* filter=evil\n")
    inner.write("file", "changed\n")

    assert hash_working_tree(machine.project) == expected
    assert not (tmp_path / "harm").exists()


def test_files_that_are_no_longer_those_that_were_judged_have_no_tree(machine: Machine) -> None:
    judged = fingerprint_tree(machine.project)
    tree = hash_judged_tree(machine.project, judged)
    machine.write("edited", "later\n")

    assert tree == machine.git("rev-parse", "HEAD^{tree}")
    assert hash_judged_tree(machine.project, judged) == ""
