"""What a sandbox is made from, by the baseline."""

import sys
from pathlib import Path

import pytest

import untildone
from untildone.integrity.baseline import Baseline
from untildone.integrity.sandbox_sources import find_hidden_files, make_source


@pytest.fixture(autouse=True)
def saved(tmp_path: Path) -> None:
    (tmp_path / "start.json").touch()


def make_lent_paths(folder: Path, baseline: Baseline) -> tuple[Path, ...]:
    source = make_source(baseline, folder, folder=folder, state_home=folder, hidden_files=())
    return source.lent_paths


def test_our_own_program_is_lent_wherever_it_is_installed(tmp_path: Path) -> None:
    lent = make_lent_paths(tmp_path, Baseline(entries={}))

    assert Path(untildone.__file__).parent in lent
    assert Path(sys.executable).parents[1] in lent


def test_programs_of_the_checks_are_lent_by_their_names_and_where_links_lead_to(
    tmp_path: Path,
) -> None:
    real, link = tmp_path / "real", tmp_path / "my tools"
    (real / "bin").mkdir(parents=True)
    link.symlink_to(real)
    facts = {"program tool": f"{link}/bin/tool {'0' * 64}", "PATH": "/bin"}

    lent = make_lent_paths(tmp_path, Baseline(entries={}, surroundings=facts))

    assert {link, real} <= set(lent)


def test_nothing_is_hidden_on_a_search_path_that_the_baseline_does_not_know(
    tmp_path: Path,
) -> None:
    assert find_hidden_files(Baseline(entries={}), tmp_path, folder=tmp_path) == ()
