"""The path of a stop as the bench traces it."""

import subprocess
import sys
from pathlib import Path

from bench.path import Trail, holds

TOP = Path(__file__).parents[1]


def trail(*modules: str, **parses: int) -> Trail:
    return Trail(answer="", modules=modules, entries={}, parses=parses, reads={})


def test_modules_of_one_package_in_a_row_are_one_pass() -> None:
    passed = trail(
        "untildone.hooks.entry",
        "untildone.engine.stop",
        "untildone.engine.early_evidence",
        "untildone.features.todos.feature",
        "untildone.features.spec.feature",
        "untildone.engine.conclusion",
    )

    assert passed.packages == ("hooks", "engine", "features", "engine")
    assert passed.changes == 3
    assert holds("red", passed)


def test_a_long_path_and_a_second_parse_break_the_bounds() -> None:
    there_and_back = ("untildone.engine.stop", "untildone.store.loops") * 21

    assert not holds("red", trail(*there_and_back))
    assert not holds("red", trail("untildone.engine.stop", python=2))


def test_both_stops_are_played_through_the_hook() -> None:
    argv = [sys.executable, "-m", "bench", "path"]
    done = subprocess.run(argv, cwd=TOP, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "red stop: " in done.stdout
    assert "untildone: done after 2 rounds: check green" in done.stdout
    assert done.stdout.count("package changes: ") == 2
