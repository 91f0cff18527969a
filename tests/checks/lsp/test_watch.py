"""Created, changed and deleted files between two calls."""

from pathlib import Path

import pytest

from checks.lsp.fakes import write_file
from untildone.checks.lsp.watch import CHANGED, CREATED, DELETED, Watch
from untildone.process.runner import run


@pytest.mark.parametrize("repository", [True, False])
def test_sees_what_became_of_each_file(repository: bool, tmp_path: Path) -> None:
    if repository:
        run(["git", "init", "-q", "."], cwd=tmp_path, timeout=20)
    for name in ("kept", "changed", "deleted"):
        write_file(tmp_path, name, name)
    (tmp_path / "leads-nowhere").symlink_to("nothing")
    watch = Watch(tmp_path)
    write_file(tmp_path, "changed", "otherwise")
    write_file(tmp_path, "created", "")
    (tmp_path / "deleted").unlink()

    assert sorted(watch.find_changes()) == [
        (tmp_path / "changed", CHANGED),
        (tmp_path / "created", CREATED),
        (tmp_path / "deleted", DELETED),
    ]
    assert watch.find_changes() == []
