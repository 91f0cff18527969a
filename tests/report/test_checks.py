"""The results of checks on a screen: what stands where, and what is cut."""

from io import StringIO
from pathlib import Path

from msgspec.structs import replace
from rich.console import Console

from untildone.core.check_results import CheckResult, Finding, Tests
from untildone.report.checks import print_results

GREEN = CheckResult(name="test", command="pytest", outcome="green", seconds=0.61, cached=True)


def finding(text: str, *, path: str = "cart.py", line: int = 2) -> Finding:
    return Finding(
        check="lint",
        path=path,
        line=line,
        code="F401",
        severity="error",
        text=text,
        fingerprint="f",
    )


def red(*findings: Finding, tests: Tests | None = None, reason: str = "exit code 1") -> CheckResult:
    return CheckResult(
        name="lint",
        command="ruff check .",
        outcome="red",
        seconds=12,
        findings=findings,
        tests=tests,
        reason=reason,
    )


def screen(*results: CheckResult, project: Path, width: int = 80) -> list[str]:
    console = Console(file=StringIO(), width=width, highlight=False)
    with console.capture() as captured:
        print_results(console, results, project)
    return [line.rstrip() for line in captured.get().splitlines()]


def test_findings_stand_by_file_above_the_table(tmp_path: Path) -> None:
    tmp_path.joinpath("cart.py").write_text("import sys\n    import os\n", encoding="utf-8")
    shown = screen(
        GREEN,
        red(finding("`os` imported but unused"), finding("is not formatted", line=0)),
        project=tmp_path,
    )
    assert shown == [
        "lint  ruff check .",
        "  cart.py",
        "         F401  is not formatted",
        "      2  F401  `os` imported but unused",
        "         import os",
        "",
        "check  result                 time",
        "test   \u2713 green               0.6 s  as before",
        "lint   \u2717 red    2 findings  12.0 s",
    ]


def test_what_is_too_long_goes_on_under_its_beginning(tmp_path: Path) -> None:
    tmp_path.joinpath("cart.py").write_text(f"\n{'x' * 90}\n", encoding="utf-8")
    shown = screen(red(finding("imported but never used")), project=tmp_path, width=30)
    assert shown[2:5] == [
        "      2  F401  imported but",
        "         never used",
        f"         {'x' * 20}\u2026",
    ]
    assert max(map(len, shown)) <= 30


def test_control_characters_of_the_code_stay_in_the_file(tmp_path: Path) -> None:
    tmp_path.joinpath("cart.py").write_text("\n\tx = '\x1b[2J'\x07\n", encoding="utf-8")
    shown = screen(red(finding("bad")), project=tmp_path)
    assert shown[3] == "         x = '\ufffd[2J'\ufffd"


def test_a_file_that_cannot_be_read_is_shown_without_its_code(tmp_path: Path) -> None:
    tmp_path.joinpath("cart.py").symlink_to("cart.py")
    shown = screen(red(finding("bad"), finding("worse", path="gone\0.py")), project=tmp_path)
    assert [line.split() for line in shown if "F401" in line] == [
        ["2", "F401", "bad"],
        ["2", "F401", "worse"],
    ]


def test_a_reason_that_the_counts_do_not_show_is_reported(tmp_path: Path) -> None:
    tests = Tests(passed=3)
    results = [
        red(tests=Tests(passed=1, failed=2), reason="2 of 3 tests failed"),
        red(tests=tests, reason="the failure pattern `x` matched `x`"),
        red(),
        replace(
            GREEN, outcome="no-evidence", cached=False, tests=Tests(), reason="no test was run"
        ),
    ]
    shown = [screen(result, project=tmp_path, width=120)[-1] for result in results]
    assert [" ".join(line.split()[3:-2]) for line in shown] == [
        "1 passed, 2 failed",
        "3 passed, 0 failed, the failure pattern `x` matched `x`",
        "exit code 1",
        "no test was run",
    ]


def test_an_encoding_without_the_signs_gets_none(tmp_path: Path) -> None:
    class Latin(StringIO):
        encoding = "latin-1"

    console = Console(file=Latin(), width=80)
    with console.capture() as captured:
        print_results(console, (GREEN,), tmp_path)
    assert captured.get().splitlines()[-1].split() == ["test", "green", "0.6", "s", "as", "before"]
