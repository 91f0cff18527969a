"""Judging a finished program: green, red, unrunnable or no evidence."""

from hashlib import sha256
from pathlib import Path

import pytest

from untildone.checks.result import OUTPUT_LIMIT, RunArtifacts, judge_result
from untildone.checks.run_report import Case, RunReport
from untildone.core import check_results
from untildone.core.contract import Check
from untildone.process.runner import Finished

RECORDED = Path(__file__).parent / "recorded"


def make_finished(output: str = "", exit_code: int | None = 0, **rest: object) -> Finished:
    data = output.encode()
    return Finished(exit_code=exit_code, head=data, size=len(data), **rest)  # type: ignore[arg-type]  # fields by name


def judge(command: str, done: Finished, **fields: str) -> tuple[str, str]:
    result = judge_result(Check(name="t", command=command, timeout=1, **fields), done)  # type: ignore[arg-type]  # fields by name
    return result.outcome, result.reason


def load_recorded(name: str) -> str:
    return RECORDED.joinpath(f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("command", "done", "expected"),
    [
        ("true", make_finished(), ("green", "")),
        ("false", make_finished(exit_code=1), ("red", "exit code 1")),
        (
            "x",
            make_finished(exit_code=None, missing="`x` was not found"),
            ("unrunnable", "`x` was not found"),
        ),
        ("x y", make_finished(exit_code=127), ("unrunnable", "`x` was not found")),
        ("./x", make_finished(exit_code=126), ("unrunnable", "`x` cannot be executed")),
        (
            "sleep 9",
            make_finished(exit_code=None, timed_out=True),
            ("timed-out", "did not end within 1 seconds"),
        ),
        (
            "x",
            make_finished(exit_code=None, interrupted=True),
            ("no-evidence", "interrupted before it ended"),
        ),
        (
            "x",
            make_finished(exit_code=None, signal=9),
            ("red", "killed by SIGKILL (out of memory?)"),
        ),
        ("x", make_finished(exit_code=None, signal=11), ("red", "killed by SIGSEGV")),
        ("sh -c x", make_finished(exit_code=137), ("red", "killed by SIGKILL (out of memory?)")),
        ("x", make_finished(exit_code=255), ("red", "exit code 255")),
        ("pytest", make_finished(exit_code=5), ("no-evidence", "no test was run")),
        ("other", make_finished(exit_code=5), ("red", "exit code 5")),
        ("pytest -qq", make_finished(".."), ("green", "")),
    ],
)
def test_how_it_ended(command: str, done: Finished, expected: tuple[str, str]) -> None:
    assert judge(command, done) == expected


@pytest.mark.parametrize(
    ("command", "name", "exit_code", "expected"),
    [
        ("pytest", "pytest-9.2.0-green", 0, ("green", "")),
        ("pytest", "pytest-9.2.0-red", 1, ("red", "3 of 5 tests failed")),
        ("pytest; true", "pytest-9.2.0-red", 0, ("red", "3 of 5 tests failed")),
        ("pytest", "pytest-9.2.0-zero", 5, ("no-evidence", "no test was run")),
        ("pytest || true", "pytest-9.2.0-zero", 0, ("no-evidence", "no test was run")),
        ("pytest", "pytest-9.2.0-skipped", 0, ("no-evidence", "no test was run, 1 skipped")),
        ("pytest", "pytest-9.2.0-import-error", 2, ("red", "1 of 1 tests failed")),
        ("python -m unittest", "unittest-3.11-zero", 0, ("no-evidence", "no test was run")),
        ("python -m unittest", "unittest-3.11-set-up-skip", 0, ("green", "")),
        ("npm test", "jest-30.5.2-green", 0, ("green", "")),
        ("npm test", "jest-30.5.2-zero", 1, ("no-evidence", "no test was run")),
        ("npm test", "vitest-4.1.12-zero", 1, ("no-evidence", "no test was run")),
        ("make test", "node-20.20.2-zero", 0, ("no-evidence", "no test was run")),
        ("make test", "mocha-12.0.3-zero", 0, ("no-evidence", "no test was run")),
        ("cargo test", "cargo-1.95.0-test-zero", 0, ("no-evidence", "no test was run")),
        ("go test ./...", "go-1.27.3-test-zero", 0, ("no-evidence", "no test was run")),
        ("go test ./...", "go-1.27.3-test-green", 0, ("green", "")),
        ("go test ./...", "go-1.27.3-test-build-failed", 1, ("red", "1 of 1 tests failed")),
        ("cargo build", "cargo-1.95.0-build-red", 101, ("red", "exit code 101")),
        ("eslint", "eslint-10.14.0-green", 0, ("green", "")),
        (
            "python -m pytest",
            "pytest-9.2.0-missing",
            1,
            ("unrunnable", "the module `pytest` is not installed"),
        ),
        (
            "npm test",
            "npm-11.19.1-missing-script",
            1,
            ("unrunnable", "there is no script `test`"),
        ),
        (
            "npm run lint",
            "npm-11.19.1-missing-program",
            127,
            ("unrunnable", "`nothing-like-this` was not found"),
        ),
        (
            "make test",
            "make-4.3-missing-program",
            2,
            ("unrunnable", "`nothing-like-this` was not found"),
        ),
        ("make lint", "make-4.3-missing-target", 2, ("unrunnable", "there is no target `lint`")),
    ],
)
def test_what_the_report_says(
    command: str, name: str, exit_code: int, expected: tuple[str, str]
) -> None:
    assert judge(command, make_finished(load_recorded(name), exit_code)) == expected


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("sh: 1: jest: not found", "`jest` was not found"),
        ("bash: line 1: jest: command not found", "`jest` was not found"),
        ("zsh: command not found: jest", "`jest` was not found"),
        ("'jest' is not recognized as an internal or external command,", "`jest` was not found"),
        ('error: Script not found "test"', "there is no script `test`"),
        ('error Command "test" not found.', "there is no script `test`"),
        ("error: no such command: `clippy`", "cargo has no command `clippy`"),
        (
            "npm error code ENOTFOUND",
            "npm could not fetch the package (`ENOTFOUND`): `npm install` it first",
        ),
        (
            "npm error could not determine executable to run",
            "npm could not determine executable for it: is that the package's name?",
        ),
        (
            "                This is not the tsc command you are looking for                ",
            "`tsc` is not installed: `npm install --save-dev typescript`",
        ),
        (
            "error: 'cargo-fmt' is not installed for the toolchain 'stable'.",
            "`cargo-fmt` is not installed",
        ),
    ],
)
def test_a_runner_that_cannot_start_is_unrunnable(line: str, reason: str) -> None:
    assert judge("make x", make_finished(f"first\n{line}\nlast", 1)) == ("unrunnable", reason)
    assert judge("make x", make_finished(f"first\n{line}\nlast", 0)) == ("green", "")


def test_tests_that_speak_of_a_missing_program_did_run() -> None:
    output = "sh: 1: jest: not found\n=== 1 failed in 0.10s ===\n"
    assert judge("pytest", make_finished(output, 1)) == ("red", "1 of 1 tests failed")


@pytest.mark.parametrize(
    ("success", "failure", "output", "expected"),
    [
        ("all good", "", "All good", ("green", "")),
        ("all good", "", "nothing", ("red", "the success pattern `all good` was not found")),
        ("", "oops", "Oops: x", ("red", "the failure pattern `oops` matched `Oops`")),
        ("", "failed", "0 failed", ("green", "")),
        (
            "done",
            "failed",
            "done\n1 failed",
            ("red", "the failure pattern `failed` matched `failed`"),
        ),
        (
            "(a|aa)+$",
            "",
            "a" * 60 + "!",
            ("red", "the success pattern `(a|aa)+$` took too long to search"),
        ),
        (
            "",
            "(a|aa)+$",
            "a" * 60 + "!",
            ("red", "the failure pattern `(a|aa)+$` took too long to search"),
        ),
    ],
)
def test_patterns_decide_over_exit_code_zero(
    success: str, failure: str, output: str, expected: tuple[str, str]
) -> None:
    fields = {"success_pattern": success, "failure_pattern": failure}
    assert judge("x", make_finished(output), **fields) == expected


def test_a_pattern_cannot_make_a_failing_program_green() -> None:
    assert judge("x", make_finished("ok", 1), success_pattern="ok") == ("red", "exit code 1")


def test_the_result_is_whole() -> None:
    identity = b"lint\0a.py\0F401\0`os` imported but unused"
    done = make_finished(
        "\x1b[31ma.py:1:8: F401 `os` imported but unused\x1b[0m\n", 1, seconds=1.23456
    )
    assert judge_result(
        Check(name="lint", command="ruff check ."), done, output_path="logs/lint.log"
    ) == check_results.CheckResult(
        name="lint",
        command="ruff check .",
        outcome="red",
        exit_code=1,
        seconds=1.235,
        reason="exit code 1",
        findings=(
            check_results.Finding(
                check="lint",
                path="a.py",
                line=1,
                code="F401",
                severity="error",
                text="`os` imported but unused",
                fingerprint=sha256(identity).hexdigest()[:16],
            ),
        ),
        output="a.py:1:8: F401 `os` imported but unused\n",
        output_path="logs/lint.log",
    )


def test_the_output_is_the_end() -> None:
    result = judge_result(
        Check(name="t", command="x"), make_finished("line\n" * 5_000 + "last\n", 1)
    )
    assert len(result.output) <= OUTPUT_LIMIT
    assert result.output.endswith("line\nlast\n")


def test_paths_are_relative_to_the_project(tmp_path: Path) -> None:
    check = Check(name="t", command="x", cwd="web")
    output = f"{tmp_path}/web/src/a.c:3: one\n./src/b.c:4: two\n/usr/include/c.h:5: three\n"
    result = judge_result(check, make_finished(output, 1), project=tmp_path)
    paths = [finding.path for finding in result.findings]
    assert paths == ["web/src/a.c", "web/src/b.c", "/usr/include/c.h"]


def test_lines_of_a_program_that_passed_are_no_findings() -> None:
    assert (
        judge_result(Check(name="t", command="x"), make_finished("a.c:3: started\n")).findings == ()
    )


def fingerprints(output: str) -> list[str]:
    result = judge_result(Check(name="t", command="x"), make_finished(output, 1))
    return [finding.fingerprint for finding in result.findings]


def test_a_fingerprint_survives_a_shift_of_lines_and_numbers() -> None:
    assert fingerprints("a.c:3: 7 unused") == fingerprints("a.c:99: 12 unused")
    assert fingerprints("a.c:3: unused") != fingerprints("b.c:3: unused")


def test_equal_findings_of_one_file_are_distinguished() -> None:
    first, second = fingerprints("a.c:3: unused\na.c:9: unused")
    assert first != second
    assert fingerprints("a.c:9: unused") == [first]


@pytest.mark.parametrize(
    ("command", "executed"),
    [
        pytest.param("python -m pytest -q", 2, id="what a test of a plugin ran is not the run's"),
        pytest.param("pytest a && pytest b", 5, id="of several runs the report tells the last"),
    ],
)
def test_a_report_of_one_run_is_believed_before_what_is_printed(
    command: str, executed: int
) -> None:
    reported = "1 failed, 1 passed, 1 skipped in 0.01s\n1 failed, 2 passed in 0.12s\n"
    cases = (
        Case(id="test_a.py::test_a", outcome="passed"),
        Case(id="test_a.py::test_b", outcome="failed"),
    )
    check = Check(name="t", command=command)

    found = judge_result(
        check, make_finished(reported, 1), artifacts=RunArtifacts(report=RunReport(cases=cases))
    )

    assert (found.outcome, found.tests and found.tests.executed) == ("red", executed)
