"""Several checks at once, against the same commands laid out by hand."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.table import Row, measure_medians
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.core.contract import Check

COMMAND = "sleep 3"
COUNT = 4


def measure(folder: Path) -> list[Row]:
    checks = [Check(name=f"c{number}", command=COMMAND) for number in range(COUNT)]
    best, ours = measure_medians(
        [run_by_hand, lambda: run_checks(checks, RunOptions(project=folder))],
        rounds=2,
    )
    return [Row("four checks of 3 s", ours / best, 1.15, "the best schedule on these cores")]


def run_by_hand() -> None:
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as lanes:
        list(lanes.map(lambda _: subprocess.run(COMMAND.split(), check=True), range(COUNT)))
