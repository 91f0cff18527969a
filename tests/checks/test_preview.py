"""Previews: what runs first, when there is none, and that the whole run decides."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tools import tool
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.checks.preview import make_preview
from untildone.checks.result_cache import ResultCache
from untildone.core.check_results import CheckResult, Finding, Tests
from untildone.core.contract import Check

pytestmark = pytest.mark.slow

LONG = CheckResult(name="c", command="c", outcome="green", seconds=9)


def finding(path: str) -> Finding:
    return Finding(
        check="c", path=path, line=1, code="E", severity="error", text="t", fingerprint="f"
    )


def commit(project: Path, files: str = ".") -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (("add", files), (*who, "commit", "-q", "-m", "so far")):
        subprocess.run(["git", *words], cwd=project, check=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """`old.py` is committed; `src/new.py` and what lies beside it is not."""
    project = tmp_path / "project"
    project.joinpath("src").mkdir(parents=True)
    project.joinpath("old.py").write_text("x = 1\n", encoding="utf-8")
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    commit(project)
    for name in ("src/new.py", "src/new.ts", "src/a file.py", "-x.py", "notes.md"):
        project.joinpath(name).touch()
    return project


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ruff check .", "ruff check --force-exclude 'src/a file.py' src/new.py"),
        ("ruff check", "ruff check --force-exclude 'src/a file.py' src/new.py"),
        (
            "python -m ruff check --preview src --select=E",
            "python -m ruff check --preview --select=E --force-exclude 'src/a file.py' src/new.py",
        ),
        ("mypy --strict src", "mypy --strict 'src/a file.py' src/new.py"),
        (
            "npx eslint . --max-warnings=0",
            "npx eslint --max-warnings=0 --no-warn-ignored src/new.ts",
        ),
    ],
)
def test_a_linter_looks_at_what_changed(project: Path, command: str, expected: str) -> None:
    look = make_preview(Check(name="c", command=command), LONG, project)

    assert look == Check(name="c", command=expected)


@pytest.mark.parametrize(
    "command",
    [
        "mypy",
        "ruff format --check .",
        "ruff check . --fix",
        "ruff check --select E .",
        "ruff check . && true",
        "ruff check . | tee log",
        "ruff check . > log",
        "ruff check $FILES",
        "eslint lib",
        "tsc --noEmit",
        "make lint",
        "",
    ],
)
def test_a_command_that_is_not_known_through_and_through_is_left_alone(
    project: Path, command: str
) -> None:
    assert make_preview(Check(name="c", command=command), LONG, project) is None


def test_files_with_findings_in_the_last_result_are_looked_at_too(project: Path) -> None:
    last = CheckResult(
        name="c", command="c", outcome="red", seconds=9, findings=(finding("old.py"), finding("no"))
    )
    check = Check(name="c", command="mypy .")
    look = make_preview(check, last, project)

    assert look == Check(name="c", command="mypy old.py 'src/a file.py' src/new.py")


@pytest.mark.parametrize(
    ("settings", "seen"),
    [
        ("files = ['src']", True),
        ("files = 'src, .'", True),
        ("", False),
        ("files = 3", False),
        ("files = ['src/*.py']", False),
        ("files = ['src']\nexclude = 'new'", False),
        ("files = broken", False),
    ],
)
def test_mypy_alone_reads_what_its_settings_say(
    project: Path, settings: str, *, seen: bool
) -> None:
    project.joinpath("pyproject.toml").write_text(f"[tool.mypy]\n{settings}\n", encoding="utf-8")

    look = make_preview(Check(name="c", command="mypy"), LONG, project)

    expected = Check(name="c", command="mypy 'src/a file.py' src/new.py") if seen else None
    assert look == expected


def test_files_are_named_as_seen_from_where_the_check_runs(project: Path) -> None:
    look = make_preview(Check(name="c", command="mypy .", cwd="src"), LONG, project)

    assert look == Check(name="c", command="mypy 'a file.py' new.py", cwd="src")


def test_a_short_run_or_a_first_one_needs_no_early_look(project: Path) -> None:
    check = Check(name="c", command="ruff check .")
    short = CheckResult(name="c", command="c", outcome="red", seconds=1.9)

    assert [make_preview(check, last, project) for last in (None, short)] == [None, None]


def test_many_changed_files_are_left_to_the_whole_run(project: Path) -> None:
    for number in range(49):
        project.joinpath(f"m{number}.py").touch()

    assert make_preview(Check(name="c", command="ruff check ."), LONG, project) is None


def test_a_test_runner_looks_at_the_affected_tests(project: Path) -> None:
    for name in ("test_failed.py", "test_new.py", "test_other.py"):
        project.joinpath(name).touch()
    commit(project, "test_*.py")
    tests = Tests(passed=1, failed=1, failing=("test_failed.py::test_it",))
    failed = CheckResult(name="c", command="c", outcome="red", seconds=9, tests=tests)

    looks = [
        make_preview(Check(name="c", command="pytest -q"), last, project) for last in (LONG, failed)
    ]

    commands = [look.command if look else "" for look in looks]
    assert commands == ["pytest -q test_new.py", "pytest -q test_failed.py test_new.py"]


def test_a_deleted_test_is_not_looked_at(project: Path) -> None:
    for name in ("test_new.py", "test_other.py"):
        project.joinpath(name).touch()
    subprocess.run(["git", "add", "."], cwd=project, check=True)
    project.joinpath("test_new.py").unlink()

    assert make_preview(Check(name="c", command="pytest"), LONG, project) is None


class PreviewRecorder:
    """Checks that are run by somebody who watches: what was heard, in its order."""

    def __init__(self, project: Path, cache: Path) -> None:
        self.heard: list[str] = []
        self.project = project
        self.cache = ResultCache(cache, {"PATH": "/usr/bin:/bin"})

    def run(self, check: Check) -> CheckResult:
        def early(_: Check, result: CheckResult) -> None:
            failing = result.tests.failing if result.tests else ()
            self.heard.append(f"early {[each.path for each in result.findings]} {list(failing)}")

        running = RunOptions(project=self.project, cache=self.cache, on_preview=early)
        (result,) = run_checks([check], running)
        self.heard.append(result.outcome)
        return result


def slow(folder: Path, program: str, *, unless: str) -> str:
    """The program, made slow enough for an early look where it is run as a whole."""
    place = folder / "slow"
    place.mkdir(exist_ok=True)
    named = place / shlex.split(program)[0].rpartition("/")[2]
    wait = f'case "$*$PYTEST_ADDOPTS" in *{unless}*) ;; *) sleep 2.1;; esac'
    named.write_text(f'#!/bin/sh\n{wait}\nexec {program} "$@"\n', encoding="utf-8")
    named.chmod(0o755)
    return str(named)


RUFF = shlex.quote(str(Path(sys.executable).with_name("ruff")))
PYTEST = shlex.quote(str(Path(sys.executable).with_name("pytest")))


def test_a_real_ruff_reports_early_and_the_whole_run_decides(project: Path, tmp_path: Path) -> None:
    command = f"{slow(tmp_path, RUFF, unless='new.py')} check ."
    recorder = PreviewRecorder(project, tmp_path / "cache")
    recorder.run(Check(name="lint", command=command))
    project.joinpath("src/new.py").write_text("import os\n", encoding="utf-8")
    recorder.run(Check(name="lint", command=command))

    assert recorder.heard == ["green", "early ['src/new.py'] []", "red"]


def test_a_real_mypy_and_eslint_report_early(project: Path, tmp_path: Path) -> None:
    project.joinpath("src/new.py").write_text("x: int = ''\n", encoding="utf-8")
    rules = "export default [{rules: {'no-undef': 2}}, {ignores: ['out.js']}]\n"
    project.joinpath("eslint.config.mjs").write_text(rules, encoding="utf-8")
    for name in ("a.js", "out.js"):
        project.joinpath(name).write_text("b();\n", encoding="utf-8")
    recorder = PreviewRecorder(project, tmp_path / "cache")
    mypy = slow(tmp_path, tool("mypy"), unless="new.py")
    eslint = slow(tmp_path, tool("eslint"), unless="ignored")
    for _ in range(2):
        recorder.run(Check(name="types", command=f"{mypy} src"))
        recorder.run(Check(name="lint", command=f"{eslint} ."))

    assert recorder.heard[2:] == ["early ['src/new.py'] []", "red", "early ['a.js'] []", "red"]


def test_a_real_pytest_reports_early_and_keeps_its_order(project: Path, tmp_path: Path) -> None:
    """`test_b` leans on `test_a`: run alone it fails, whatever is fixed."""
    project.joinpath("conftest.py").write_text("seen = []\n", encoding="utf-8")
    first = "import conftest\ndef test_a(): conftest.seen.append(1)\n"
    project.joinpath("test_a.py").write_text(first, encoding="utf-8")
    second = "import conftest\ndef test_b(): assert conftest.seen and {0}\n"
    project.joinpath("test_b.py").write_text(second.format(False), encoding="utf-8")
    command = f"{slow(tmp_path, PYTEST, unless='test_b.py')} -q"
    recorder = PreviewRecorder(project, tmp_path / "cache")
    recorder.run(Check(name="test", command=command))
    commit(project)
    project.joinpath("test_b.py").write_text(second.format(True), encoding="utf-8")
    recorder.run(Check(name="test", command=command))

    assert recorder.heard == ["red", "early ['test_b.py'] ['test_b.py::test_b']", "green"]


def test_nothing_is_looked_at_early_where_nobody_watches(project: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    program = tmp_path / "ruff"
    program.write_text(f"#!/bin/sh\necho x >> {runs}\nsleep 2.1\nexit 1\n", encoding="utf-8")
    program.chmod(0o755)
    running = RunOptions(project=project, cache=ResultCache(tmp_path / "cache", {}))
    for _ in range(2):
        run_checks([Check(name="lint", command=f"{program} check .")], running)

    assert runs.read_text(encoding="utf-8").split() == ["x", "x"]
