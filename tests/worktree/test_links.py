"""A link inside of a tree is read as the file that it leads to."""

from pathlib import Path

from integrity.trees import write_tree
from untildone.worktree.contents import Tree, find_changes, read_tree, walk_files


def link_tree(root: Path, files: dict[str, str], links: dict[str, str]) -> Tree:
    write_tree(root, files)
    for name, target in links.items():
        (root / name).symlink_to(target)
    return read_tree(root, walk_files(root))


def test_a_link_has_the_text_of_its_target_in_the_tree(tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("secret", encoding="utf-8")
    links = {"in.py": "in.txt", "out.py": "../outside.py", "loop.py": "loop.py", "by.py": "in.py"}
    found = link_tree(tmp_path / "new", {"in.txt": "x = 1\n"}, links)

    texts = {name: found.text(name) for name in links}
    assert texts == {"in.py": "x = 1\n", "by.py": "x = 1\n", "out.py": "", "loop.py": ""}


def test_a_link_is_edited_with_its_target_of_another_suffix(tmp_path: Path) -> None:
    links = {"shop.py": "shop.txt", "copy.py": "price.py"}
    old = link_tree(tmp_path / "old", {"shop.txt": "1", "price.py": "1"}, links)
    new = link_tree(tmp_path / "new", {"shop.txt": "2", "price.py": "2"}, links)

    assert set(find_changes(old, new).edited) == {"shop.txt", "shop.py", "price.py"}
