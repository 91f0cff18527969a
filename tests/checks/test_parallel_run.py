"""Running checks as real processes."""

import os
import shlex
import sys
import threading
import time
from pathlib import Path

import pytest

from tools import on_machine
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.checks.result_cache import ResultCache
from untildone.core import check_results
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.core.time_limits import TimeRules

PYTHON = shlex.quote(sys.executable)
PYTEST = f"{PYTHON} -m pytest -p no:cacheprovider -q"


def run(project: Path, *checks: Check, logs: Path | None = None) -> tuple[CheckResult, ...]:
    return run_checks(checks, RunOptions(project=project, logs=logs))


def script(code: str, name: str = "t", timeout: float = 60) -> Check:
    return Check(name=name, command=f"{PYTHON} -c {shlex.quote(code)}", timeout=timeout)


@pytest.mark.parametrize(
    ("source", "outcome", "reason", "tests"),
    [
        (
            "def test_a(): pass\n",
            "green",
            "",
            check_results.Tests(passed=1, passing=("test_shop.py::test_a",)),
        ),
        (
            "def test_a(): assert 1 == 2\n",
            "red",
            "1 of 1 tests failed",
            check_results.Tests(failed=1, failing=("test_shop.py::test_a",)),
        ),
        ("", "no-evidence", "no test was run", check_results.Tests()),
    ],
)
def test_a_small_project(
    tmp_path: Path, source: str, outcome: str, reason: str, tests: check_results.Tests
) -> None:
    tmp_path.joinpath("test_shop.py").write_text(source, encoding="utf-8")
    (result,) = run(tmp_path, Check(name="test", command=PYTEST))
    assert (result.outcome, result.reason, result.tests) == (outcome, reason, tests)


def test_why_a_test_failed_is_reported_whole(tmp_path: Path) -> None:
    source = "def test_a_number_of_things():\n    assert '0' + 1.5\n"
    tmp_path.joinpath("test_shop.py").write_text(source, encoding="utf-8")
    (result,) = run(tmp_path, Check(name="test", command=PYTEST.removesuffix(" -q")))

    (found,) = result.findings
    assert found.text == 'TypeError: can only concatenate str (not "float") to str'
    assert "generated xml file" not in result.output


def test_a_check_that_hangs_is_timed_out(tmp_path: Path) -> None:
    (result,) = run(tmp_path, script("import time; time.sleep(60)", timeout=1))
    assert (result.outcome, result.reason) == ("timed-out", "did not end within 1 seconds")
    assert result.seconds < 10


def test_a_missing_program_is_unrunnable_and_named(tmp_path: Path) -> None:
    alone, in_shell = run(
        tmp_path,
        Check(name="a", command="nothing-like-this --now"),
        Check(name="b", command="true && nothing-like-this"),
    )
    assert (alone.outcome, in_shell.outcome) == ("unrunnable", "unrunnable")
    assert "nothing-like-this" in alone.reason
    assert in_shell.reason == "`nothing-like-this` was not found"


@pytest.mark.skipif(os.cpu_count() == 1, reason="one core runs one check at a time")
def test_a_runner_that_cannot_be_imported_is_unrunnable(tmp_path: Path) -> None:
    tmp_path.joinpath("pytest").write_text("import nothing_like_this\n", encoding="utf-8")
    tmp_path.joinpath("ours.py").write_text("import nothing_like_this\n", encoding="utf-8")
    missing, broken, own = run(
        tmp_path,
        Check(name="a", command=f"{on_machine('node')} node_modules/jest/bin/jest.js"),
        Check(name="b", command=f"{PYTHON} pytest"),
        Check(name="c", command=f"{PYTHON} ours.py"),
    )

    why = "ModuleNotFoundError: No module named 'nothing_like_this'"
    assert [(result.outcome, result.reason) for result in (missing, broken, own)] == [
        ("unrunnable", "`node_modules/jest/bin/jest.js` was not found"),
        ("unrunnable", f"`pytest` itself cannot be imported: {why}"),
        ("red", "exit code 1"),
    ]


def test_what_npx_has_to_fetch_and_cannot_is_unrunnable(tmp_path: Path) -> None:
    npx = on_machine("npx")
    offline = {"npm_config_offline": "true", "npm_config_cache": str(tmp_path / "cache")}
    (result,) = run(tmp_path, Check(name="lint", command=f"{npx} --yes eslint .", env=offline))

    reason = "npm could not fetch the package (`ENOTCACHED`): `npm install` it first"
    assert (result.outcome, result.reason) == ("unrunnable", reason)


def test_results_come_in_the_order_given_and_run_at_once(tmp_path: Path) -> None:
    meet = (
        "import pathlib, time\n"
        "pathlib.Path('{0}').touch()\n"
        "end = time.monotonic() + 20\n"
        "while not pathlib.Path('{1}').exists(): assert time.monotonic() < end; time.sleep(0.01)"
    )
    results = run(tmp_path, script(meet.format("a", "b"), "a"), script(meet.format("b", "a"), "b"))
    assert [(result.name, result.outcome) for result in results] == [("a", "green"), ("b", "green")]


def test_each_check_has_its_own_log(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    results = run(
        tmp_path,
        script("print('one')", "lint:a/b"),
        script("print('two')", "lint a b"),
        script("print('three')", "../.."),
        logs=logs,
    )
    names = ["lint-a-b.log", "lint-a-b-1.log", "check.log"]
    assert [result.output_path for result in results] == [str(logs / name) for name in names]
    written = [logs.joinpath(name).read_text(encoding="utf-8") for name in names]
    assert [text.strip() for text in written] == ["one", "two", "three"]


def test_a_check_runs_in_its_folder(tmp_path: Path) -> None:
    tmp_path.joinpath("web").mkdir()
    code = "import os; print(os.path.basename(os.getcwd()))"
    (result,) = run(tmp_path, Check(name="t", command=f'{PYTHON} -c "{code}"', cwd="web"))
    assert result.output.strip() == "web"


def test_starts_and_results_are_reported(tmp_path: Path) -> None:
    heard: list[tuple[str, str]] = []

    def hear(check: Check, result: CheckResult | None) -> None:
        heard.append((check.name, result.outcome if result else "started"))

    run_checks([script("", "a")], RunOptions(project=tmp_path), report=hear)
    assert heard == [("a", "started"), ("a", "green")]


def test_a_stop_interrupts_what_runs(tmp_path: Path) -> None:
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    started = time.monotonic()
    (result,) = run_checks(
        [script("import time; time.sleep(60)")], RunOptions(project=tmp_path, stop=stop)
    )
    assert (result.outcome, result.reason) == ("no-evidence", "interrupted before it ended")
    assert time.monotonic() - started < 20


def test_nothing_to_run_gives_nothing(tmp_path: Path) -> None:
    assert run(tmp_path) == ()


def test_a_check_that_runs_out_of_time_gets_longer_the_next_time(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    cache = ResultCache(tmp_path / "cache", {})
    rules = TimeRules(first=1, longest=8)
    options = RunOptions(project=project, cache=cache, time_rules=rules)
    check = Check(name="t", command="sleep 1.5")

    first, second = (run_checks([check], options)[0] for _ in range(2))

    assert (first.outcome, first.seconds, first.reason) == (
        "timed-out",
        1,
        "did not end within 1 seconds; next time it may take 2;"
        " set `timeout` in `untildone.toml` if it needs longer",
    )
    assert second.outcome == "green"


def test_without_a_cache_the_history_still_sets_the_limit(tmp_path: Path) -> None:
    history = ResultCache(tmp_path / "cache", {})
    check = Check(name="t", command="sleep 1.5")
    history.store(check, "k", CheckResult(name="t", command="t", outcome="red", seconds=1))
    options = RunOptions(project=tmp_path, history=history, time_rules=TimeRules(first=1))

    (result,) = run_checks([check], options)

    assert (result.outcome, [entry.key for entry in history.load(check)]) == ("green", ["k"])
