"""Identity of a tree, in real repositories."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from untildone.worktree.fingerprint import fingerprint_tree
from untildone.worktree.listing import (
    find_worktree_root,
    is_same_repository,
    list_files,
    list_ignored_folders,
    read_head,
)

ME = ("-c", "user.name=Shop", "-c", "user.email=shop@example.test", "-c", "commit.gpgsign=false")


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *ME, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = (tmp_path / "shop").resolve()
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    folder.joinpath("cart.py").write_text("a = 1\n", encoding="utf-8")
    folder.joinpath(".gitignore").write_text("cache/\n", encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "start")
    return folder


def write(name: str, text: str = "x\n") -> Callable[[Path], None]:
    def act(folder: Path) -> None:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    return act


def commit(folder: Path) -> None:
    git(folder, "commit", "-q", "--allow-empty", "-m", "next")


def rename(folder: Path) -> None:
    git(folder, "mv", "cart.py", "basket.py")


CHANGES = [
    pytest.param(write("cart.py", "a = 2\n"), id="an edited file"),
    pytest.param(write("new file\n.py"), id="a new file"),
    pytest.param(lambda folder: folder.joinpath("cart.py").unlink(), id="a deleted file"),
    pytest.param(lambda folder: folder.joinpath("cart.py").chmod(0o755), id="a mode"),
]


@pytest.mark.parametrize(
    "change",
    [*CHANGES, pytest.param(rename, id="a staged rename")],
)
def test_a_change_in_git_is_seen(repository: Path, change: Callable[[Path], None]) -> None:
    before = fingerprint_tree(repository)
    change(repository)
    assert fingerprint_tree(repository) != before


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(commit, id="a commit"),
        pytest.param(lambda folder: git(folder, "add", "-A"), id="staging"),
        pytest.param(lambda folder: os.utime(folder / "cart.py", (1, 1)), id="another time"),
    ],
)
def test_equal_content_is_no_change(repository: Path, act: Callable[[Path], None]) -> None:
    write("new.py")(repository)
    before = fingerprint_tree(repository)
    act(repository)
    assert fingerprint_tree(repository) == before


def test_a_second_edit_of_a_changed_file_is_seen(repository: Path) -> None:
    write("cart.py", "a = 2\n")(repository)
    before = fingerprint_tree(repository)
    write("cart.py", "a = 3\n")(repository)
    assert fingerprint_tree(repository) != before


@pytest.mark.parametrize("change", CHANGES[:3])
def test_a_change_outside_git_is_seen(tmp_path: Path, change: Callable[[Path], None]) -> None:
    write("cart.py")(tmp_path)
    before = fingerprint_tree(tmp_path)
    change(tmp_path)
    assert fingerprint_tree(tmp_path) != before


@pytest.mark.parametrize("name", [".untildone/report.txt", "cache/x", "web/.untildone/log"])
def test_what_is_ours_or_ignored_is_no_change(repository: Path, name: str) -> None:
    before = fingerprint_tree(repository)
    write(name)(repository)
    assert fingerprint_tree(repository) == before


@pytest.mark.parametrize("name", [".git/x", "node_modules/x", ".untildone/x", "a/__pycache__/x"])
def test_generated_folders_are_no_change_outside_git(tmp_path: Path, name: str) -> None:
    write("a/cart.py")(tmp_path)
    before = fingerprint_tree(tmp_path)
    write(name)(tmp_path)
    assert fingerprint_tree(tmp_path) == before


def test_a_repository_without_commits_has_a_fingerprint(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    before = fingerprint_tree(tmp_path)
    write("a")(tmp_path)
    assert fingerprint_tree(tmp_path) != before


def test_a_project_that_its_repository_ignores_is_walked(repository: Path) -> None:
    write("cache/shop/a.py")(repository)
    before = fingerprint_tree(repository / "cache/shop")
    write("cache/shop/a.py", "changed\n")(repository)
    assert fingerprint_tree(repository / "cache/shop") != before


def test_a_change_anywhere_in_the_worktree_is_seen_from_a_subfolder(repository: Path) -> None:
    write("web/a.js")(repository)
    before = fingerprint_tree(repository / "web")
    write("cart.py", "a = 2\n")(repository)
    assert fingerprint_tree(repository / "web") != before


@pytest.mark.skipif(os.name == "nt", reason="the witness is a shell script")
def test_programs_named_by_the_repository_are_not_run(repository: Path) -> None:
    witness = repository.parent / "executed"
    hook = repository.parent / "hook.sh"
    hook.write_text(f"#!/bin/sh\ntouch '{witness}'\n", encoding="utf-8")
    hook.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(hook))
    fingerprint_tree(repository)
    assert not witness.exists()


def test_the_root_is_the_top_of_the_worktree(repository: Path, tmp_path: Path) -> None:
    write("web/src/a.js")(repository)
    assert find_worktree_root(repository / "web/src") == repository
    assert find_worktree_root(tmp_path) is None
    assert find_worktree_root(tmp_path / "absent") is None


def test_worktrees_are_the_same_repository_and_clones_are_not(
    repository: Path, tmp_path: Path
) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "side")
    git(tmp_path, "clone", "-q", str(repository), "clone")
    write("web/a.js")(repository)
    assert find_worktree_root(tmp_path / "tree") == (tmp_path / "tree").resolve()
    assert is_same_repository(repository / "web", tmp_path / "tree")
    assert not is_same_repository(repository, tmp_path / "clone")
    assert not is_same_repository(repository, tmp_path)
    assert not is_same_repository(tmp_path, tmp_path)


def test_another_worktree_than_that_around_it_is_not_believed(repository: Path) -> None:
    git(repository, "config", "core.worktree", str(repository.parent))
    assert find_worktree_root(repository) is None


@pytest.fixture
def submodule(repository: Path) -> Path:
    folder = repository / "library"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    write("shelf.py")(folder)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "start")
    git(repository, "add", "library")
    git(repository, "commit", "-q", "-m", "library")
    return folder


@pytest.mark.parametrize("name", ["shelf.py", "new.py"])
def test_a_change_in_a_submodule_is_seen(repository: Path, submodule: Path, name: str) -> None:
    before = fingerprint_tree(repository)
    write(name, "changed\n")(submodule)
    changed = fingerprint_tree(repository)
    assert changed != before
    write(name, "again\n")(submodule)
    assert fingerprint_tree(repository) not in (before, changed)


def test_a_submodule_that_is_the_repository_itself_ends(repository: Path, submodule: Path) -> None:
    shutil.rmtree(submodule / ".git")
    write("library/library/.git", "gitdir: ../../.git\n")(repository)
    write(".git", "gitdir: ../.git\n")(submodule)
    assert fingerprint_tree(repository)


def test_files_are_listed_as_git_would_add_them(repository: Path) -> None:
    for name in ("web/new.js", "cache/x", ".untildone/report"):
        write(name)(repository)
    assert sorted(list_files(repository)) == [
        Path(".gitignore"),
        Path("cart.py"),
        Path("web/new.js"),
    ]
    assert list_files(repository / "web") == [Path("new.js")]
    assert list_ignored_folders(repository) == [Path("cache")]


def test_files_outside_git_are_listed_without_generated_ones(tmp_path: Path) -> None:
    for name in ("a.py", "web/b.js", "node_modules/x/c.js", "__pycache__/a.pyc"):
        write(name)(tmp_path)
    assert list_files(tmp_path) == [Path("a.py"), Path("web/b.js")]
    assert list_ignored_folders(tmp_path) == [Path("__pycache__"), Path("node_modules")]


def test_a_walk_ends_at_its_bound(tmp_path: Path) -> None:
    for number in range(50_001):
        tmp_path.joinpath(f"{number:05}").touch()
    assert len(list_files(tmp_path)) == 50_000


def test_a_repository_made_or_removed_meanwhile_is_noticed(repository: Path) -> None:
    inner = repository / "inner"
    inner.mkdir()
    assert find_worktree_root(inner) == repository.resolve()

    git(inner, "init", "-q")
    assert find_worktree_root(inner) == inner.resolve()

    shutil.rmtree(inner / ".git")
    assert find_worktree_root(inner) == repository.resolve()


@pytest.mark.skipif(sys.platform == "win32", reason="NOT TESTED, needs symbolic links")
def test_what_git_complains_of_is_no_file(repository: Path) -> None:
    """It follows no link there, and says so on stderr."""
    (repository / ".gitignore").unlink()
    (repository / ".gitignore").symlink_to("cart.py")
    (repository / "new.py").write_text("b = 1\n", encoding="utf-8")

    assert sorted(map(str, list_files(repository))) == [".gitignore", "cart.py", "new.py"]


def test_the_head_is_the_commit_that_is_checked_out(repository: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    outside = read_head(empty)
    git(empty, "init", "-q")

    head = repository.joinpath(".git", "refs", "heads", "main").read_text(encoding="utf-8").strip()
    assert (read_head(repository), read_head(empty), outside) == (head, "", "")
