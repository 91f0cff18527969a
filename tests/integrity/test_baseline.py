"""The start of a loop, kept whole and known by its digest."""

import os
from pathlib import Path

import pytest

from integrity.trees import write_tree
from untildone.integrity.baseline import (
    MAX_BYTES,
    Baseline,
    BaselineTooLargeError,
    delete_baseline_files,
    load_baseline,
    save_baseline,
)


def keep_in(folder: Path, project: Path, *ignored: str) -> str:
    return save_baseline(
        project, folder, ignored=ignored, surroundings={"a": "b"}, variables={"C": "d"}, programs={}
    )


def test_every_file_is_kept_but_what_tools_leave_behind(tmp_path: Path) -> None:
    project = write_tree(
        tmp_path / "project",
        {
            "app.py": "x = 1\n",
            ".env": "hidden from git or not\n",
            ".coverage": "data",
            "dist/app.js": "built",
            "src/__pycache__/app.pyc": "cache",
            ".git": "gitdir: /elsewhere\n",
        },
    )
    (project / "link").symlink_to("app.py")

    digest = keep_in(tmp_path / "kept", project, "dist")
    baseline, tree = load_baseline(tmp_path / "kept", digest)

    assert sorted(tree) == [".env", "app.py", "link"]
    assert tree.text("app.py") == "x = 1\n"
    assert list(baseline.dependencies) == ["dist/app.js"]
    assert (baseline.ignored, baseline.surroundings, baseline.variables) == (
        ("dist",),
        {"a": "b"},
        {"C": "d"},
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda folder: (folder / "tree" / "app.py").write_text("x"),
            "saved files .* were changed",
        ),
        (lambda folder: (folder / "tree" / "app.py").unlink(), "saved files .* were changed"),
        (
            lambda folder: (folder / "start.json").write_text("{}"),
            "record of the baseline was changed",
        ),
        (lambda folder: (folder / "start.json").unlink(), "are gone"),
    ],
)
def test_what_was_altered_is_noticed(tmp_path: Path, change: object, message: str) -> None:
    digest = keep_in(tmp_path / "kept", write_tree(tmp_path / "project", {"app.py": "x = 1\n"}))
    assert callable(change)

    change(tmp_path / "kept")

    with pytest.raises(ValueError, match=message):
        load_baseline(tmp_path / "kept", digest)


def test_what_is_too_large_is_not_kept(tmp_path: Path) -> None:
    project = write_tree(tmp_path / "project", {"large.bin": ""})
    os.truncate(project / "large.bin", MAX_BYTES + 1)

    with pytest.raises(BaselineTooLargeError, match="more than 50000 files or 2 GB"):
        keep_in(tmp_path / "kept", project)


def test_the_files_of_an_ended_loop_are_dropped_and_its_record_stays(tmp_path: Path) -> None:
    keep_in(tmp_path / "kept", write_tree(tmp_path / "project", {"app.py": "x = 1\n"}))

    delete_baseline_files(tmp_path / "kept")

    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["start.json"]
    assert Baseline(entries={}).ignored == ()
