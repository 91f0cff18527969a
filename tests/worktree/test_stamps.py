"""Stamps of the files below a folder."""

from pathlib import Path

import pytest

from untildone.worktree.stamps import read_stamp, read_stamps


@pytest.fixture
def top(tmp_path: Path) -> Path:
    for name in ("a.js", "lib/b.js", "lib/deep/c.js", "other/d.js"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    (tmp_path / "lib" / "linked").symlink_to(tmp_path / "other", target_is_directory=True)
    return tmp_path


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        pytest.param("lib", {"lib/b.js", "lib/deep/c.js", "lib/linked"}, id="a folder"),
        pytest.param("lib/deep/", {"lib/deep/c.js"}, id="a folder with a slash"),
        pytest.param(
            ".",
            {"a.js", "lib/b.js", "lib/deep/c.js", "lib/linked", "other/d.js"},
            id="the top itself",
        ),
        pytest.param("missing", set[str](), id="no folder"),
    ],
)
def test_every_file_has_a_stamp_and_a_linked_folder_is_one_file(
    top: Path, folder: str, expected: set[str]
) -> None:
    stamps = dict(read_stamps(top, [folder]))
    assert stamps == {path: read_stamp(top / path) for path in expected}
