"""Checks in order: a build before the tests that read its output."""

import subprocess
from pathlib import Path

import pytest

from untildone.checks.check_order import find_prerequisites
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.checks.result_cache import ResultCache
from untildone.core.contract import Check

PATH = {"PATH": "/usr/bin:/bin"}


@pytest.mark.parametrize(
    ("commands", "expected"),
    [
        pytest.param({"build": "tsc", "test": "vitest run"}, [set(), {0}], id="by name"),
        pytest.param({"test:node": "node --test", "build:npm": "x"}, [{1}, set()], id="aspects"),
        pytest.param({"build": "tsc", "lint": "eslint ."}, [set(), set()], id="lint reads sources"),
        pytest.param({"check": "tsc", "check-2": "node --test dist/"}, [set(), {0}], id="folder"),
        pytest.param({"check": "tsc", "check-2": "node lib/a.js"}, [set(), {0}], id="outDir"),
        pytest.param({"check": "npx tsc -b", "check-2": "npm t"}, [set(), {0}], id="a script"),
        pytest.param({"check": "tsc --noEmit", "b": "node dist/a"}, [set(), set()], id="no output"),
        pytest.param({"check": "tsc", "b": "node src/a.js"}, [set(), set()], id="sources"),
        pytest.param({"web:test": "x", "web:build": "y"}, [{1}, set()], id="of one folder"),
    ],
)
def test_what_comes_before(
    tmp_path: Path, commands: dict[str, str], expected: list[set[int]]
) -> None:
    (tmp_path / "tsconfig.json").write_text('{"compilerOptions": {"outDir": "./lib"}} // c\n')
    (tmp_path / "package.json").write_text('{"scripts": {"test": "node --test lib/*.js"}}')
    checks = [Check(name=name, command=command) for name, command in commands.items()]

    assert find_prerequisites(checks, tmp_path) == expected


def test_the_configuration_has_the_last_word(tmp_path: Path) -> None:
    checks = [
        Check(name="build", command="tsc"),
        Check(name="test", command="vitest", after=("prepare",)),
        Check(name="prepare", command="make data"),
    ]

    assert find_prerequisites(checks, tmp_path) == [set(), {2}, set()]


def run_build_and_test(project: Path, *, build: str) -> list[tuple[str, str, bool]]:
    """Run a build and a test of its output, with a cache, in the wrong order and on two cores."""
    checks = [
        Check(name="test", command="grep -q new dist/out.txt"),
        Check(name="build", command=f"sleep 0.3; {build}"),
    ]
    cache = ResultCache(project.parent / "cache", PATH)
    results = run_checks(checks, RunOptions(project=project, cache=cache))
    return [(result.name, result.outcome, result.cached) for result in results]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "dist").mkdir(parents=True)
    (folder / "dist" / "out.txt").write_text("old", encoding="utf-8")
    return folder


def test_tests_read_the_output_of_this_build(project: Path) -> None:
    results = run_build_and_test(project, build="echo new > dist/out.txt")

    assert results == [("test", "green", False), ("build", "green", False)]


def test_green_tests_of_a_build_that_fails_prove_nothing(project: Path) -> None:
    (project / "dist" / "out.txt").write_text("new", encoding="utf-8")

    results = run_build_and_test(project, build="false")

    assert results == [("test", "no-evidence", False), ("build", "red", False)]


def test_a_cached_build_needs_its_output(project: Path) -> None:
    """`dist` is ignored, so the tree of the cache does not know it."""
    (project / ".gitignore").write_text("dist\n", encoding="utf-8")
    build = "mkdir -p dist && echo new > dist/out.txt"
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    first = run_build_and_test(project, build=build)
    second = run_build_and_test(project, build=build)
    (project / "dist" / "out.txt").unlink()
    third = run_build_and_test(project, build=build)

    assert [cached for _, _, cached in first] == [False, False]
    assert [cached for _, _, cached in second] == [True, True]
    assert [(outcome, cached) for _, outcome, cached in third] == [("green", False)] * 2
