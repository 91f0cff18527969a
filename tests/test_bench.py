"""The table of the bench: what it says, and what it exits with."""

import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).parents[1]
TWO_SUBJECTS = """
from bench import __main__ as bench
from bench.table import Row

bench.SUBJECTS = {
    "kept": lambda _: [Row("at its bound", 3, 3, "git status")],
    "broken": lambda _: [Row("beyond it", 3.01, 3, "git status")],
}
raise SystemExit(10 * bench.main(["kept"]) + bench.main([]))
"""


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, *arguments]
    return subprocess.run(argv, cwd=TOP, capture_output=True, text=True, check=False)


def test_each_row_reports_whether_its_bound_holds_and_the_exit_code_if_all_do() -> None:
    done = python("-c", TWO_SUBJECTS)

    assert (done.returncode, done.stdout.splitlines()[2:]) == (
        1,
        [
            "what                                         figure  bound  times",
            "at its bound                                   3.00      3  git status",
            "beyond it                                      3.01      3  git status  OVER",
        ],
    )


def test_a_subject_that_is_not_there_is_named() -> None:
    done = python("-m", "bench", "speed")

    assert done.returncode == 2
    assert done.stdout.startswith("there is no subject `speed`; there are: `hooks`, ")
