"""Problems of loops that the doctor finds."""

from pathlib import Path

from untildone.engine.loop_problems import find_removed_folders
from world import World


def test_a_loop_whose_worktree_was_removed_is_told(world: World) -> None:
    world.start()
    assert list(find_removed_folders(world.context, Path())) == []

    world.project.rename(world.folder / "gone")

    (problem,) = find_removed_folders(world.context, Path())
    assert problem.text == f"loop {world.loop}: its folder `{world.project}` was removed"
