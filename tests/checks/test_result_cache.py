"""Cached results: which are served, which run again, and flaky checks."""

import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest

from snippets import snippet
from untildone.checks import security
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.checks.result_cache import ResultCache
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check

PATH = {"PATH": "/usr/bin:/bin"}


class CountedRuns:
    """A repository, and a file outside it that counts the runs."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.project.mkdir()
        self.log = folder / "runs"
        self.cache_folder = folder / "remembered"
        subprocess.run(["git", "init", "-q"], cwd=self.project, check=True)
        self.write("a.txt", "a")
        subprocess.run(["git", "add", "."], cwd=self.project, check=True)

    def write(self, name: str, text: str) -> None:
        self.project.joinpath(name).write_text(text, encoding="utf-8")

    def run(
        self,
        script: str,
        *,
        environ: dict[str, str] = PATH,
        serve_green: bool = True,
        flaky: Literal["refuse", "tolerate"] = "refuse",
    ) -> CheckResult:
        env = {"RUNS": str(self.log)}
        check = Check(name="c", command=f'echo x >> "$RUNS"; {script}', env=env, flaky=flaky)
        cache = ResultCache(self.cache_folder, environ, serve_green=serve_green)
        (result,) = run_checks([check], RunOptions(project=self.project, cache=cache))
        return result

    @property
    def count(self) -> int:
        return len(self.log.read_text(encoding="utf-8").split())


@pytest.fixture
def runs(tmp_path: Path) -> CountedRuns:
    return CountedRuns(tmp_path)


def test_green_with_more_findings_than_are_kept_is_run_again(runs: CountedRuns) -> None:
    script = 'for n in $(seq 248); do echo "a.c:$n:1: warning: long [-Wall]"; done'

    results = [runs.run(script) for _ in range(2)]

    assert [(result.cached, len(result.findings)) for result in results] == [(False, 248)] * 2


def test_green_of_an_unchanged_tree_is_not_run_again(runs: CountedRuns) -> None:
    results = [runs.run("true") for _ in range(3)]

    assert [(result.outcome, result.cached) for result in results] == [
        ("green", False),
        ("green", True),
        ("green", True),
    ]
    assert runs.count == 1


def test_red_is_always_run_again(runs: CountedRuns) -> None:
    results = [runs.run("false") for _ in range(2)]

    assert [(result.outcome, result.cached) for result in results] == [("red", False)] * 2
    assert runs.count == 2


def test_a_changed_tree_environment_or_command_is_run(runs: CountedRuns) -> None:
    runs.run("true")
    runs.write("a.txt", "b")
    seen = [runs.run("true")]
    seen.append(runs.run("true", environ={**PATH, "MODE": "x"}))
    seen.append(runs.run("true "))
    seen.append(runs.run("true", environ={**PATH, "SHLVL": "7"}))

    assert [result.cached for result in seen] == [False, False, False, True]


def test_another_version_of_the_tool_is_run(runs: CountedRuns, tmp_path: Path) -> None:
    tools = tmp_path / "tools" / "bin"
    packages = tools.parent / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    tools.mkdir()
    tool = tools / "linter"
    environ = {"PATH": f"{tools}:{PATH['PATH']}"}

    def install(text: str) -> bool:
        tool.write_text(f"#!/bin/sh\n# {text}\n", encoding="utf-8")
        tool.chmod(0o755)
        return runs.run("linter || true", environ=environ).cached

    seen = [install("1"), runs.run("linter || true", environ=environ).cached, install("1.1")]
    packages.joinpath("plugin-2.dist-info").mkdir()
    seen.append(runs.run("linter || true", environ=environ).cached)

    assert seen == [False, True, False, False]


@pytest.mark.parametrize("option", ["--rules {0}", "--rules={0}", "{0}/rule.yml", "< {0}/rule.yml"])
def test_what_a_command_reads_outside_the_project_is_in_the_key(
    runs: CountedRuns, tmp_path: Path, option: str
) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    rule = rules / "rule.yml"
    rule.write_text("id: a\n", encoding="utf-8")
    script = f"true {option.format(rules)}"
    seen = [runs.run(script).cached for _ in range(2)]
    rule.write_text("id: other\n", encoding="utf-8")
    seen.append(runs.run(script).cached)

    assert seen == [False, True, False]


def test_where_a_command_sends_its_output_is_not_in_the_key(
    runs: CountedRuns, tmp_path: Path
) -> None:
    script = f"date +%N > '{tmp_path / 'log'}'"

    assert [runs.run(script).cached for _ in range(2)] == [False, True]


def test_rules_of_the_users_own_are_in_the_key_of_the_security_check(tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    project = tmp_path / "project"
    project.mkdir()
    check = security.make_check(project, rules=(rules,))
    cache = ResultCache(tmp_path / "cache", PATH)
    before = cache.make_key(check, project, "tree")
    rules.joinpath("rule.yml").write_text("id: a\n", encoding="utf-8")

    assert cache.make_key(check, project, "tree") != before


def test_a_folder_outside_too_large_to_be_looked_at_makes_no_key(
    runs: CountedRuns, tmp_path: Path
) -> None:
    large = tmp_path / "large"
    large.mkdir()
    for number in range(2_000):
        large.joinpath(str(number)).touch()

    assert [runs.run(f"true {large}").cached for _ in range(2)] == [False, False]


def test_what_done_rests_on_is_not_remembered_but_run(runs: CountedRuns) -> None:
    runs.run("true")

    assert (runs.run("true", serve_green=False).cached, runs.count) == (False, 2)


def test_a_change_of_mind_on_one_tree_is_asked_again(runs: CountedRuns) -> None:
    """Green only on its third run: red, then green and red, is flaky."""
    third = 'test $(wc -l < "$RUNS") -eq 2'
    outcomes = [runs.run(third).outcome for _ in range(2)]

    assert (outcomes, runs.count) == (["red", "flaky"], 3)


def test_three_green_runs_in_a_row_are_believed(runs: CountedRuns) -> None:
    later = 'test $(wc -l < "$RUNS") -gt 1'
    first, second = (runs.run(later) for _ in range(2))

    assert (first.outcome, second.outcome, runs.count) == ("red", "green", 4)
    assert second.reason == "it was red on the same tree, then green in 3 runs in a row"


def test_a_third_run_that_is_red_is_flaky_until_three_are_green(runs: CountedRuns) -> None:
    """Green but for its first and fourth run."""
    fourth = 'test $(wc -l < "$RUNS") -ne 1 && test $(wc -l < "$RUNS") -ne 4'
    outcomes = [runs.run(fourth).outcome for _ in range(3)]

    assert (outcomes, runs.count) == (["red", "flaky", "green"], 7)


def test_a_flaky_check_may_be_tolerated(runs: CountedRuns) -> None:
    third = 'test $(wc -l < "$RUNS") -eq 2'
    results = [runs.run(third, flaky="tolerate") for _ in range(2)]

    assert [result.outcome for result in results] == ["red", "green"]
    assert results[1].reason == "flaky; tolerated by the configuration"


EDITED = ("no-evidence", "it changed the files it judged: `a.txt`")


def test_a_check_that_edits_is_run_on_what_it_left_and_told(runs: CountedRuns) -> None:
    result = runs.run("echo formatted > a.txt")

    assert (result.outcome, result.reason, runs.count) == (*EDITED, 2)
    assert runs.run("echo formatted > a.txt").outcome == "green"


def test_a_check_that_edits_is_told_again_on_the_tree_as_it_was(runs: CountedRuns) -> None:
    old = runs.project.joinpath("a.txt").read_bytes()
    runs.run("echo formatted > a.txt")
    runs.project.joinpath("a.txt").write_bytes(old)

    result = runs.run("echo formatted > a.txt")
    assert (result.outcome, result.reason) == EDITED


def test_a_check_that_goes_on_changing_the_tree_proves_nothing(runs: CountedRuns) -> None:
    result = runs.run("echo more >> a.txt")

    assert (result.outcome, result.reason) == EDITED


def test_what_a_run_leaves_behind_is_no_change_of_the_tree(runs: CountedRuns) -> None:
    result = runs.run("date +%N >> coverage.data")

    assert (result.outcome, runs.count) == ("green", 1)


@pytest.mark.parametrize("damage", ["", "{", "[1]", "\0\0", '[{"key": 1}]'])
def test_a_damaged_memory_is_no_memory(runs: CountedRuns, damage: str) -> None:
    runs.run("true")
    (file,) = runs.cache_folder.iterdir()
    file.write_text(damage, encoding="utf-8")

    assert runs.run("true").cached is False
    assert runs.run("true").cached is True


def test_a_memory_that_cannot_be_written_is_done_without(runs: CountedRuns) -> None:
    runs.cache_folder.write_text("in the way", encoding="utf-8")

    assert [runs.run("true").outcome for _ in range(2)] == ["green", "green"]


def pytest_check(tmp_path: Path, *, tests: str, conftest: str = "") -> CheckResult:
    tmp_path.joinpath("test_it.py").write_text(tests, encoding="utf-8")
    tmp_path.joinpath("conftest.py").write_text(conftest, encoding="utf-8")
    command = f"{sys.executable} -m pytest -q -p no:cacheprovider"
    (result,) = run_checks([Check(name="t", command=command)], RunOptions(project=tmp_path))
    return result


def test_the_report_counts_the_tests(tmp_path: Path) -> None:
    result = pytest_check(tmp_path, tests="def test_a(): pass\ndef test_b(): pass\n")

    assert result.outcome == "green"
    assert result.tests
    assert (result.tests.passed, result.tests.failed) == (2, 0)


def test_an_early_exit_writes_no_report(tmp_path: Path) -> None:
    leave = snippet("""
        import os
        print('1 passed in 0.01s', flush=True)
        os._exit(0)
    """)
    result = pytest_check(tmp_path, tests="def test_a(): assert False\n", conftest=leave)

    assert (result.outcome, result.reason) == (
        "no-evidence",
        "it exits 0, but the test runner wrote no report",
    )


def test_a_report_of_the_users_own_is_left_alone(tmp_path: Path) -> None:
    tmp_path.joinpath("test_it.py").write_text("def test_a(): pass\n", encoding="utf-8")
    command = f"{sys.executable} -m pytest -q -p no:cacheprovider --junitxml=own.xml"
    (result,) = run_checks([Check(name="t", command=command)], RunOptions(project=tmp_path))

    assert result.outcome == "green"
    assert tmp_path.joinpath("own.xml").is_file()
