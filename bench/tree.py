"""An unchanged tree of many files: what it costs to know that nothing need be run."""

import os
import subprocess
from pathlib import Path

from bench.table import Row, measure_medians
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.checks.result_cache import ResultCache
from untildone.core.contract import Check

FOLDERS = FILES = 100
CHECKS = [Check(name="test", command="true")]


def measure(folder: Path) -> list[Row]:
    project = folder / "app"
    write_project(project)
    running = RunOptions(project=project, cache=ResultCache(folder / "memory", dict(os.environ)))
    run_checks(CHECKS, running)

    def unchanged() -> None:
        (result,) = run_checks(CHECKS, running)
        if not result.cached:
            raise ValueError("a green check was run again")

    status, ours = measure_medians([lambda: run_git("status", cwd=project), unchanged], rounds=15)
    return [Row("unchanged tree of 10,000 files", ours / status, 3, "git status")]


def write_project(project: Path) -> None:
    for number in range(FOLDERS):
        place = project / f"package{number}"
        place.mkdir(parents=True)
        for other in range(FILES):
            text = f"VALUE = {number * other}\n" * 20
            place.joinpath(f"module{other}.py").write_text(text, encoding="utf-8")
    run_git("init", "-q", cwd=project)
    run_git("add", ".", cwd=project)
    who = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")
    run_git(*who, "commit", "-q", "-m", "start", cwd=project)


def run_git(*arguments: str, cwd: Path) -> None:
    subprocess.run(["git", *arguments], cwd=cwd, check=True, capture_output=True)
