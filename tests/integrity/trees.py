"""Small trees, written out and compared."""

from pathlib import Path

from untildone.integrity.comparison import Comparison, compare_trees
from untildone.worktree.contents import Tree, read_tree, walk_files


def write_tree(root: Path, files: dict[str, str]) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return root


def tree(root: Path, files: dict[str, str]) -> Tree:
    return read_tree(root, walk_files(write_tree(root, files)))


def compare_projects(
    top: Path, old: dict[str, str], new: dict[str, str], *commands: str, task: str = ""
) -> Comparison:
    """Each as a whole: what `new` does not name is gone."""
    return compare_trees(tree(top / "old", old), tree(top / "new", new), commands, task=task)
