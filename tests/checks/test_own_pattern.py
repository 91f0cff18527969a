"""The `pattern` and `parser` of a check: which lines of the output are findings."""

from pathlib import Path

import pytest

from untildone.checks.findings import Diagnostic
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.checks.patterns import find_diagnostics
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check

PATTERN = (
    r"^(?:(?P<severity>\w+) )?(?P<code>X\d+) (?P<path>[^ :]+)(?::(?P<line>\w+))? - (?P<text>.+)$"
)
OUTPUT = """\
X1 a.rb:3 - no such method
warning X2 lib/b.rb - line too long
NOTE X3 c.rb:x - odd
security X4 d.rb:1 - secret
e.py:1: error: not ours
"""


def run_check(tmp_path: Path, **fields: str) -> CheckResult:
    tmp_path.joinpath("output").write_text(OUTPUT, encoding="utf-8")
    check = Check(name="own", command="cat output; false", **fields)  # type: ignore[arg-type]  # texts
    (result,) = run_checks([check], RunOptions(project=tmp_path))
    return result


def test_each_group_says_its_part() -> None:
    check = Check(name="own", command="x", pattern=PATTERN)

    assert find_diagnostics(check, OUTPUT) == (
        (
            Diagnostic(path="a.rb", line=3, code="X1", text="no such method"),
            Diagnostic(path="lib/b.rb", code="X2", severity="warning", text="line too long"),
            Diagnostic(path="c.rb", code="X3", severity="info", text="odd"),
            Diagnostic(path="d.rb", line=1, code="X4", severity="security", text="secret"),
        ),
        False,
    )


def test_only_the_text_is_needed() -> None:
    check = Check(name="own", command="x", pattern="FAIL (?P<text>.*)")

    assert find_diagnostics(check, "ok\nfail it\n") == ((Diagnostic(path="", text="it"),), False)


def test_a_pattern_alone_decides_what_is_a_finding(tmp_path: Path) -> None:
    found = run_check(tmp_path, pattern=PATTERN)

    assert (found.outcome, [finding.code for finding in found.findings]) == (
        "red",
        ["X1", "X2", "X3", "X4"],
    )


def test_beside_a_named_parser_it_adds_to_its_findings(tmp_path: Path) -> None:
    found = run_check(tmp_path, pattern=PATTERN, parser="mypy")

    assert [finding.path for finding in found.findings] == [
        "a.rb",
        "lib/b.rb",
        "c.rb",
        "d.rb",
        "e.py",
    ]


def test_a_named_parser_is_the_only_one(tmp_path: Path) -> None:
    assert [finding.path for finding in run_check(tmp_path, parser="mypy").findings] == ["e.py"]


@pytest.mark.timeout(60)
def test_a_pattern_that_searches_for_ever_is_no_pass(tmp_path: Path) -> None:
    tmp_path.joinpath("output").write_text("a" * 40 + "!", encoding="utf-8")
    pattern = "(?P<text>(a|aa)+)+$"
    check = Check(name="own", command="cat output", pattern=pattern)

    (result,) = run_checks([check], RunOptions(project=tmp_path))

    assert (result.outcome, result.reason) == (
        "no-evidence",
        f"the pattern `{pattern}` took too long to search",
    )
