"""Commands in a repository that names programs wherever git lets it: none of them is run."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.world import CommandLine
from process.hostile_git import Hostile
from snippets import snippet
from untildone.features.spec.checkpoints import (
    delete_checkpoints,
    restore_checkpoint,
    save_checkpoint,
)
from untildone.receipts.problem import EXIT_CODES, Problem
from untildone.runs.tasks import worktrees
from untildone.runs.tasks.git_answers import Git
from untildone.worktree.git_tree import hash_working_tree
from world import SESSION

pytestmark = pytest.mark.skipif(os.name == "nt", reason="NOT TESTED, the witnesses are scripts")


class Scene(CommandLine):
    """A machine whose project is hostile."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, project="unused")
        self.hostile = Hostile(folder / "hostile")
        self.project = self.hostile.project
        (self.home / ".gitconfig").write_bytes((self.hostile.home / ".gitconfig").read_bytes())
        self.write(
            "test_shop.py",
            snippet("""
                import unittest


                class Shop(unittest.TestCase):
                    pass
            """),
        )


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return Scene(tmp_path_factory.mktemp("scene"))


@pytest.fixture
def scene(shared: Scene) -> Scene:
    shared.hostile.arm()
    return shared


def run_command(*words: str, folder: str = "") -> Callable[[Scene], None]:
    def act(scene: Scene) -> None:
        top, scene.project = scene.project, scene.project / folder
        code, _, stderr = scene.run_process(*words)
        scene.project = top
        assert code in (0, 1, 2, EXIT_CODES[Problem.MISSING]), stderr

    return act


def stop(scene: Scene) -> None:
    """A loop that is held at first and then done, with all that is compared for that."""
    scene.run_process("start", "--check", "git --version && test -f done.txt", "--session", SESSION)
    scene.event("Stop", stop_hook_active=False)
    scene.write("done.txt", "done\n")
    scene.hostile.arm(again=True)
    scene.event("Stop", stop_hook_active=True)


def checkpoint(scene: Scene) -> None:
    save_checkpoint(scene.project, "a1b2", "step-1")
    scene.write("shop.py", "first = 3\n")
    restored = restore_checkpoint(scene.project, "a1b2", "step-1")
    delete_checkpoints(scene.project, "a1b2")
    assert restored.written == ("shop.py",)


def worktree(scene: Scene) -> None:
    """What a plan run does with git, from the worktree of a task to its merge."""
    git, place = Git(scene.project), scene.home / "tree"
    worktrees.make_worktree(git, place, branch="task", commit="left")
    (place / "notes.md").write_text("more\n", encoding="utf-8")
    # As if the agent had fetched the submodule, programs and all.
    shutil.copytree(scene.project / "nested", place / "nested", dirs_exist_ok=True)
    os.utime(place / "nested" / "inner.txt")
    inner = Git(place)
    commit = worktrees.commit_worktree(
        inner, branch="task", onto="left", plan="setup.cfg", message="x"
    )
    merged = worktrees.merge_trees(inner, git.ask("rev-parse", "right"), commit)
    worktrees.restore_tree(inner, merged.tree)
    assert (place / "shop.py").read_text(encoding="utf-8") == "first = 2\n\n\n\n\nlast = 2\n"
    assert (place / "notes.md").read_text(encoding="utf-8") == "more\n"
    worktrees.remove_worktree(git, place)


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(run_command("detect"), id="detect"),
        pytest.param(run_command("status"), id="status"),
        pytest.param(run_command("doctor"), id="doctor"),
        pytest.param(run_command("check", "--changed"), id="check"),
        pytest.param(run_command("detect", folder="nested"), id="detect in a nested repository"),
        pytest.param(run_command("detect", folder="bare"), id="detect in a bare repository"),
        pytest.param(run_command("start", "--check", "true", "--session", "x"), id="start"),
        pytest.param(
            run_command("start", "--check", "true", "--session", "y", folder="bare"),
            id="start in a bare repository",
        ),
        pytest.param(stop, id="stop"),
        pytest.param(lambda scene: hash_working_tree(scene.project), id="git tree"),
        pytest.param(run_command("receipt", "check", "--unsigned"), id="receipt"),
        pytest.param(checkpoint, id="checkpoint"),
        pytest.param(worktree, id="worktree"),
    ],
)
def test_no_program_of_the_repository_is_run(scene: Scene, act: Callable[[Scene], None]) -> None:
    act(scene)

    assert scene.hostile.left() == []
