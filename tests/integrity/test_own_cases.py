"""The cases of `make integrity`: each cheat's mechanism finds it, honest changes are left alone."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from bench.integrity.case import Folder, list_allowances
from bench.integrity.own import Own, read_books, write_cases

from untildone.core.concerns import is_allowed
from untildone.integrity.comparison import Comparison, compare_trees
from untildone.integrity.registry import find_concerns
from untildone.worktree.contents import read_tree, walk_files

CATEGORIES = {
    "assertion-weakened",
    "check-script",
    "claim",
    "config-loosened",
    "expected-edited",
    "hide-change",
    "loop-state",
    "mock-subject",
    "nothing-shown",
    "runner-subversion",
    "special-case",
    "suppression",
    "test-deselect",
    "test-removal",
    "test-skip",
}
CASES = {own.name: own for book in read_books() for own in book.cases}
COMPARED = [own for own in CASES.values() if own.finds]
HONEST = [own for own in CASES.values() if own.kind == "honest"]


def test_every_way_of_cheating_has_a_case() -> None:
    assert {own.category for own in CASES.values() if own.kind == "cheat"} == CATEGORIES


@pytest.mark.parametrize("own", COMPARED, ids=lambda own: own.name)
def test_the_comparison_with_the_baseline_finds_it(own: Own, tmp_path: Path) -> None:
    assert own.finds in {concern.kind for concern in find_concerns(compare_case(own, tmp_path))}


@pytest.mark.parametrize("own", HONEST, ids=lambda own: own.name)
def test_an_honest_change_loses_only_what_needs_an_approval(own: Own, tmp_path: Path) -> None:
    concerns = find_concerns(compare_case(own, tmp_path))
    allow = tuple(list_allowances(folder(own, tmp_path / "again").case))

    # What only a run can tell is left to the replay.
    provable = ("edit-test", "edit-expected")
    assert [
        concern.id
        for concern in concerns
        if concern.kind not in provable and not is_allowed(concern, allow)
    ] == []
    assert bool(concerns) >= bool(allow)


def folder(own: Own, top: Path) -> Folder:
    return next(case for case in write_cases(top) if case.case.name == own.name)


def compare_case(own: Own, top: Path) -> Comparison:
    given = folder(own, top / "cases")
    old, new = top / "old", top / "new"
    shutil.copytree(given.path / "base", old)
    shutil.copytree(old, new)
    shell(new, "git init -q . && git add -A && git -c user.name=a -c user.email=a commit -qm base")
    shutil.copytree(given.path / "after", new, dirs_exist_ok=True)
    if own.change:
        shell(new, own.change)
    before, now = (read_tree(root, walk_files(root)) for root in (old, new))
    return compare_trees(before, now, [given.case.check], task=given.case.task)


def shell(cwd: Path, command: str) -> None:
    environ = {"PATH": os.environ["PATH"], "HOME": str(cwd.parent)}
    subprocess.run(["sh", "-ec", command], cwd=cwd, env=environ, check=True)
