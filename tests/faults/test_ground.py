"""Projects in odd states: a stop is judged in each of them."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from hooks.world import HookWorld
from untildone.core.contract import Check


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")
    subprocess.run(
        ["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, timeout=60
    )


def commit_all(project: Path) -> None:
    git(project, "init", "-q")
    for text in ("one", "two"):
        (project / "file.txt").write_text(text, encoding="utf-8")
        git(project, "add", "-A")
        git(project, "commit", "-qm", text)


def detach_head(project: Path) -> None:
    commit_all(project)
    git(project, "checkout", "-q", "--detach")


def sparse(project: Path) -> None:
    commit_all(project)
    git(project, "sparse-checkout", "set", "elsewhere")


def shallow(project: Path) -> None:
    origin = project.parent / "origin"
    origin.mkdir()
    commit_all(origin)
    project.rmdir()
    git(project.parent, "clone", "-q", "--depth", "1", f"file://{origin}", str(project))


def with_a_submodule(project: Path) -> None:
    inner = project.parent / "inner"
    inner.mkdir()
    commit_all(inner)
    commit_all(project)
    git(project, "submodule", "add", "-q", str(inner), "inner")


def in_a_rebase(project: Path) -> None:
    commit_all(project)
    git(project, "checkout", "-q", "-b", "other", "HEAD~1")
    (project / "file.txt").write_text("three", encoding="utf-8")
    git(project, "commit", "-qam", "three")
    stopped = subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", "rebase", "@{-1}"],
        cwd=project,
        capture_output=True,
        check=False,
    )
    assert stopped.returncode != 0


def unborn(project: Path) -> None:
    git(project, "init", "-q")


def make_bare(project: Path) -> None:
    git(project, "init", "-q", "--bare")


def damage_repository(project: Path) -> None:
    commit_all(project)
    shutil.rmtree(project / ".git" / "objects")


def no_repository(project: Path) -> None:
    assert not (project / ".git").exists()


STATES = (
    *(
        detach_head,
        sparse,
        shallow,
        with_a_submodule,
        in_a_rebase,
        unborn,
        make_bare,
        damage_repository,
    ),
    no_repository,
)


def check_ground(world: HookWorld) -> str:
    check = Check(name="check", command="test -f done.txt")
    return world.start(promises=(), checks=(check,)).contract.id


@pytest.mark.parametrize("state", STATES, ids=lambda state: getattr(state, "__name__", ""))
def test_a_stop_is_judged_whatever_git_makes_of_the_project(
    tmp_path: Path, state: Callable[[Path], None]
) -> None:
    world = HookWorld(tmp_path)
    state(world.project)
    loop = check_ground(world)

    answer = world.run_hook("Stop")

    assert (answer.exit_code, answer.stderr) == (0, b"")
    progress = world.context.loops.load(loop).progress
    assert (progress.round, progress.outcome, progress.unmet) == (1, None, ("check",))


def test_without_git_a_stop_is_judged(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    loop = check_ground(world)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("sh", "test", "env"):
        found = shutil.which(name)
        assert found
        (programs / name).symlink_to(found)

    world.run_hook("Stop", environ={**world.environment(), "PATH": str(programs)})

    progress = world.context.loops.load(loop).progress
    assert (progress.round, progress.outcome, progress.unmet) == (1, None, ("check",))


def test_a_project_that_is_gone_is_never_done(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    loop = check_ground(world)
    payload = world.payload("Stop")
    shutil.rmtree(world.project)
    world.project = tmp_path

    answer = world.run_hook("Stop", payload)

    assert answer.exit_code == 0
    assert answer.stdout != b""
    assert world.context.loops.load(loop).progress.status == "active"
