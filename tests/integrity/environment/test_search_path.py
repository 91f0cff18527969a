"""Programs put before others on the search path while a loop runs."""

from pathlib import Path

import pytest

from integrity.trees import write_tree
from untildone.integrity.environment.search_path import find_shadowing_programs, record_programs


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    write_tree(tmp_path, {"mine/own": "", "system/node": "", "system/npm": ""})
    return {"PATH": f"{tmp_path / 'mine'}:{tmp_path / 'system'}:relative"}


def test_a_new_program_with_the_name_of_another_one_shadows_it(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    known = record_programs(environ)
    write_tree(tmp_path, {"mine/node": "shim", "mine/ruff": "new", "system/more": ""})

    assert list(find_shadowing_programs(known, environ)) == [tmp_path / "mine" / "node"]


def test_one_that_was_there_before_does_not(tmp_path: Path, environ: dict[str, str]) -> None:
    write_tree(tmp_path, {"mine/npm": "the user's own"})
    known = record_programs(environ)

    assert list(find_shadowing_programs(known, environ)) == []


def test_a_second_name_of_a_folder_shadows_nothing(tmp_path: Path, environ: dict[str, str]) -> None:
    (tmp_path / "alias").symlink_to(tmp_path / "system")
    environ = {"PATH": f"{tmp_path / 'alias'}:{tmp_path / 'system'}"}

    assert list(find_shadowing_programs({}, environ)) == []
