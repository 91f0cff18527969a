"""A tree kept outside of every branch and brought back, by real git."""

import os
import subprocess
from pathlib import Path

import pytest

from untildone.errors import UserError
from untildone.features.spec.checkpoints import (
    Restoration,
    delete_checkpoints,
    list_checkpoints,
    restore_checkpoint,
    save_checkpoint,
)

LOOP = "a1b2"
IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@example.org")
# Git of the test itself runs no hook and leaves the index alone: what is seen was done by us.
NO_HOOKS = ("--no-optional-locks", "-c", "core.hooksPath=/dev/null")


def git(project: Path, *arguments: str) -> str:
    argv = ["git", *IDENTITY, *NO_HOOKS, *arguments]
    done = subprocess.run(argv, cwd=project, check=True, capture_output=True, text=True)
    return done.stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    git(place, "init", "-q", "-b", "main")
    place.joinpath(".gitignore").write_text("ignored*\nbuild/\n", encoding="utf-8")
    place.joinpath("known.txt").write_text("one\n", encoding="utf-8")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "start")
    return place


def tree(project: Path) -> dict[str, bytes | str]:
    """Every file but git's own, links by where they lead."""
    found: dict[str, bytes | str] = {}
    for path in sorted(project.rglob("*")):
        name = path.relative_to(project).as_posix()
        if name.partition("/")[0] == ".git" or (path.is_dir() and not path.is_symlink()):
            continue
        found[name] = str(path.readlink()) if path.is_symlink() else path.read_bytes()
    return found


def standing(project: Path) -> tuple[str, ...]:
    """What a checkpoint may not touch."""
    index = project / ".git" / "index"
    return (
        git(project, "status", "--porcelain=v2", "--branch"),
        git(project, "rev-parse", "HEAD"),
        index.read_bytes().hex(),
        str(index.stat().st_mtime_ns),
    )


def test_keeping_touches_nothing_and_runs_no_hook(project: Path) -> None:
    project.joinpath("new.txt").write_text("new\n", encoding="utf-8")
    project.joinpath("staged.txt").write_text("staged\n", encoding="utf-8")
    git(project, "add", "staged.txt")
    hooks = project / ".git" / "hooks"
    for name in ("pre-commit", "post-commit", "reference-transaction", "post-index-change"):
        hook = hooks / name
        hook.write_text("#!/bin/sh\ntouch ../hooked hooked\n", encoding="utf-8")
        hook.chmod(0o755)
    before, files = standing(project), tree(project)

    ref = save_checkpoint(project, LOOP, "step-1")

    assert (standing(project), tree(project)) == (before, files)
    assert git(project, "branch", "--list").split() == ["*", "main"]
    listed = git(project, "ls-tree", "-r", "--name-only", ref).split()
    assert listed == [".gitignore", "known.txt", "new.txt", "staged.txt"]


def test_everything_comes_back_byte_for_byte(project: Path) -> None:
    project.joinpath(".gitattributes").write_text("* text=auto eol=lf\n", encoding="utf-8")
    project.joinpath("crlf.txt").write_bytes(b"a\r\nb\r\n")
    project.joinpath("raw").write_bytes(b"a\r\nb\n\0\xff")
    project.joinpath("odd\nname").write_text("line end in its name\n", encoding="utf-8")
    project.joinpath("link").symlink_to("known.txt")
    tool = project / "tool.sh"
    tool.write_text("#!/bin/sh\n", encoding="utf-8")
    tool.chmod(0o755)
    before = tree(project)
    save_checkpoint(project, LOOP, "step-1")
    for name in ("crlf.txt", "raw", "odd\nname", "known.txt"):
        project.joinpath(name).write_text("changed\n", encoding="utf-8")
    tool.unlink()
    project.joinpath("link").unlink()
    project.joinpath("link").mkdir()
    project.joinpath("link", "inner.txt").write_text("new\n", encoding="utf-8")

    restored = restore_checkpoint(project, LOOP, "step-1")

    assert tree(project) == before
    assert os.access(tool, os.X_OK)
    assert restored == Restoration(
        root=str(project),
        saved="undo-1",
        written=("crlf.txt", "known.txt", "link", "odd\nname", "raw", "tool.sh"),
        removed=("link/inner.txt",),
    )


def test_what_was_there_before_can_be_brought_back_too(project: Path) -> None:
    save_checkpoint(project, LOOP, "step-1")
    project.joinpath("folder").mkdir()
    project.joinpath("folder", "work.txt").write_text("mine\n", encoding="utf-8")
    project.joinpath("known.txt").unlink()
    now = tree(project)

    restore_checkpoint(project, LOOP, "step-1")
    assert not project.joinpath("folder").exists()
    restored = restore_checkpoint(project, LOOP, "undo-1")

    assert (tree(project), restored.saved) == (now, "undo-2")
    assert list_checkpoints(project, LOOP) == ("step-1", "undo-1", "undo-2")


def test_ignored_files_are_left_alone(project: Path) -> None:
    project.joinpath("ignored.txt").write_text("mine\n", encoding="utf-8")
    save_checkpoint(project, LOOP, "step-1")
    project.joinpath("known.txt").write_text("two\n", encoding="utf-8")
    project.joinpath("ignored.txt").write_text("still mine\n", encoding="utf-8")

    restore_checkpoint(project, LOOP, "step-1")

    assert project.joinpath("ignored.txt").read_text(encoding="utf-8") == "still mine\n"
    assert project.joinpath("known.txt").read_text(encoding="utf-8") == "one\n"


def test_a_file_that_is_ignored_by_now_is_kept_before_it_is_written_over(project: Path) -> None:
    later = project / "later.txt"
    later.write_text("then\n", encoding="utf-8")
    save_checkpoint(project, LOOP, "step-1")
    project.joinpath(".gitignore").write_text("later.txt\n", encoding="utf-8")
    later.write_text("now\n", encoding="utf-8")

    restore_checkpoint(project, LOOP, "step-1")
    assert later.read_text(encoding="utf-8") == "then\n"
    restore_checkpoint(project, LOOP, "undo-1")

    assert later.read_text(encoding="utf-8") == "now\n"


@pytest.mark.parametrize("kind", ["folder", "link", "file"])
def test_what_is_ignored_and_in_the_way_is_neither_lost_nor_written_through(
    project: Path, tmp_path: Path, kind: str
) -> None:
    place = project / ("build" if kind == "folder" else "ignored")
    outside = tmp_path / "outside"
    outside.mkdir()
    project.joinpath(".gitignore").write_text("", encoding="utf-8")
    wanted = place if kind == "folder" else place / "file.txt"
    wanted.parent.mkdir(exist_ok=True)
    wanted.write_text("then\n", encoding="utf-8")
    save_checkpoint(project, LOOP, "step-1")
    wanted.unlink()
    project.joinpath(".gitignore").write_text("ignored*\nbuild/\n", encoding="utf-8")
    if kind == "folder":
        place.mkdir()
        place.joinpath("kept.txt").write_text("mine\n", encoding="utf-8")
    else:
        place.rmdir()
        place.symlink_to(outside) if kind == "link" else place.write_text("mine", encoding="utf-8")
    before = tree(project)

    with pytest.raises(UserError, match="is ignored by git and is in the place of"):
        restore_checkpoint(project, LOOP, "step-1")

    assert (tree(project), list(outside.iterdir())) == (before, [])


def test_the_first_checkpoint_of_a_name_stays(project: Path) -> None:
    save_checkpoint(project, LOOP, "step-1")
    project.joinpath("known.txt").write_text("two\n", encoding="utf-8")
    save_checkpoint(project, LOOP, "step-1")

    restore_checkpoint(project, LOOP, "step-1")

    assert project.joinpath("known.txt").read_text(encoding="utf-8") == "one\n"


def test_a_repository_without_a_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    tmp_path.joinpath("a.txt").write_text("a\n", encoding="utf-8")

    save_checkpoint(tmp_path, LOOP, "step-1")
    tmp_path.joinpath("a.txt").unlink()
    restore_checkpoint(tmp_path, LOOP, "step-1")

    assert tree(tmp_path) == {"a.txt": b"a\n"}


def test_they_are_forgotten_whole(project: Path) -> None:
    save_checkpoint(project, LOOP, "step-1")
    save_checkpoint(project, "other", "step-1")

    delete_checkpoints(project, LOOP)

    assert (list_checkpoints(project, LOOP), list_checkpoints(project, "other")) == (
        (),
        ("step-1",),
    )


def test_outside_git_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is in no git repository"):
        save_checkpoint(tmp_path, LOOP, "step-1")
    delete_checkpoints(tmp_path, LOOP)


def test_one_that_is_not_there(project: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        restore_checkpoint(project, LOOP, "step-9")
