"""Builds in one folder wait for each other; other checks do not."""

from pathlib import Path

from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.core.contract import Check

# Fails if it is run while it runs.
ALONE = "mkdir busy && sleep 0.5 && rmdir busy"


def outcomes(project: Path, commands: list[str], *, folders: tuple[str, ...] = ("",)) -> list[str]:
    checks = [
        Check(name=f"{folder}{number}", command=command, cwd=folder)
        for folder in folders
        for number, command in enumerate(commands)
    ]
    return [result.outcome for result in run_checks(checks, RunOptions(project=project))]


def test_builders_take_turns(tmp_path: Path) -> None:
    tmp_path.joinpath("Makefile").write_text(f"all test:\n\t{ALONE}\n", encoding="utf-8")

    assert outcomes(tmp_path, ["make", "make test"]) == ["green", "green"]


def test_others_do_not_wait(tmp_path: Path) -> None:
    """Each waits for what the other makes."""
    meet = "for i in $(seq 600); do [ -f {} ] && exit; sleep 0.1; done; false"
    commands = [f"touch a; {meet.format('b')}", f"touch b; {meet.format('a')}"]

    assert outcomes(tmp_path, commands) == ["green", "green"]


def test_folders_do_not_wait_for_each_other(tmp_path: Path) -> None:
    meet = "for i in $$(seq 600); do [ -f ../{} ] && exit; sleep 0.1; done; false"
    for mine, other in (("a", "b"), ("b", "a")):
        tmp_path.joinpath(mine).mkdir()
        makefile = f"all:\n\ttouch ../{mine}.here; {meet.format(f'{other}.here')}\n"
        tmp_path.joinpath(mine, "Makefile").write_text(makefile, encoding="utf-8")

    assert outcomes(tmp_path, ["make"], folders=("a", "b")) == ["green", "green"]
