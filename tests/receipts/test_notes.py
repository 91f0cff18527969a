"""Notes on trees, and what git says where there are none."""

from pathlib import Path

import pytest

from untildone.errors import UserError
from untildone.receipts.notes import find_commit, read_note, write_note
from world import Machine

IDENTITY = {"user.name": "Alice", "user.email": "alice@example.org"}


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setenv("HOME", str(tmp_path))
    machine = Machine(tmp_path)
    machine.git("init", "--quiet")
    machine.git("commit", "--quiet", "--allow-empty", "--message", "first")
    return machine


def test_a_tree_that_nobody_has_committed_yet_can_have_a_note(machine: Machine) -> None:
    for name, value in IDENTITY.items():
        machine.git("config", name, value)
    tree = "5fae26eea1909ea77a78568ce649cfb299302952"

    for text in (b'{"first": 1}', b'{"second": 2}'):
        write_note(tree, text, cwd=machine.project)

    assert read_note(tree, cwd=machine.project) == b'{"second": 2}\n'
    assert read_note("0" * 40, cwd=machine.project) is None


def test_without_an_identity_git_adds_no_note(machine: Machine) -> None:
    with pytest.raises(UserError, match="git could not add the note: "):
        write_note("0" * 40, b"{}", cwd=machine.project)


def test_a_commit_is_found_only_where_it_has_the_tree(machine: Machine, tmp_path: Path) -> None:
    tree = machine.git("rev-parse", "HEAD^{tree}")

    assert find_commit(tree, cwd=machine.project) == machine.git("rev-parse", "HEAD")
    assert find_commit("0" * 40, cwd=machine.project) == ""
    assert find_commit(tree, cwd=tmp_path / "gone") == ""
