"""A check repeated several times is green only if every run is."""

import shlex
import sys
from pathlib import Path

import pytest

from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.checks.repeat import repeat_check
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check

# Fails in the run whose number it is given; leaves its count where git does not look.
FLAKY = """\
import sys, pathlib
count = pathlib.Path(sys.argv[1])
number = len(count.read_text()) + 1 if count.exists() else 1
count.write_text("x" * number)
print(f"run {number} says hello")
sys.exit(number == int(sys.argv[2]) and int(sys.argv[3]))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "flaky.py").write_text(FLAKY, encoding="utf-8")
    return project


def run_repeated(folder: Path, command: str, times: int = 4) -> tuple[CheckResult, str]:
    check = repeat_check(Check(name="test", command=command, timeout=10), times)
    assert (check.name, check.timeout) == ("repeated:test", 10 * times)
    (result,) = run_checks([check], RunOptions(project=folder))
    return result, result.output.strip().splitlines()[-1]


def flaky(folder: Path, fails_at: int, code: int = 3) -> str:
    script, count = folder.parent / "flaky.py", folder.parent / "count"
    return shlex.join([sys.executable, str(script), str(count), str(fails_at), str(code)])


def test_all_runs_pass(folder: Path) -> None:
    result, last = run_repeated(folder, flaky(folder, fails_at=9))

    assert (result.outcome, last) == ("green", "4 of 4 runs agree: exit codes 0, 0, 0, 0")
    assert result.output.startswith("run 4 says hello")


def test_one_run_that_fails_is_enough(folder: Path) -> None:
    result, last = run_repeated(folder, flaky(folder, fails_at=3))

    assert (result.outcome, last) == ("red", "3 of 4 runs do not agree: exit codes 0, 0, 3")
    assert result.output.startswith("run 3 says hello")


def test_runs_that_all_fail_agree(folder: Path) -> None:
    result, last = run_repeated(folder, "sh -c 'exit 2'", 3)

    assert (result.outcome, result.exit_code, last) == (
        "red",
        2,
        "3 of 3 runs agree: exit codes 2, 2, 2",
    )


def test_a_program_that_is_missing_cannot_run(folder: Path) -> None:
    result, _ = run_repeated(folder, "no-such-runner --all")

    assert (result.outcome, result.reason) == ("unrunnable", "`no-such-runner` was not found")


def test_the_runner_is_still_known_by_its_output(folder: Path) -> None:
    (folder / "test_a.py").write_text("def test_a():\n    assert False\n", encoding="utf-8")

    result, _ = run_repeated(
        folder, f"{shlex.quote(sys.executable)} -m pytest -p no:cacheprovider", 2
    )

    assert result.tests is not None
    assert (result.outcome, result.tests.failing) == ("red", ("test_a.py::test_a",))
