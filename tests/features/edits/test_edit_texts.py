"""What is said of edited files: exact texts, bounded however much there is."""

from snippets import snippet
from untildone.core.check_results import CheckResult, FileTotals, Finding, Severity
from untildone.core.edit_feedback import format_round, summarize_findings
from untildone.core.evidence import Evidence
from untildone.features.edits.automatic import format_hold, format_release
from untildone.features.edits.edit_events import count_file_totals, format_edit


def finding(
    path: str = "cart.py", line: int = 1, code: str = "F821", severity: Severity = "error"
) -> Finding:
    return Finding(
        check="ruff",
        path=path,
        line=line,
        code=code,
        severity=severity,
        text="wrong\nin two lines",
        fingerprint=f"{path}{line}{code}",
    )


TWO = (finding("b.py", 2, "eval", "security"), finding("a.py", 7))
LISTED = """\
a.py
  7: error F821 wrong in two lines
b.py
  2: security eval wrong in two lines"""


def test_an_automatic_hold() -> None:
    assert format_hold(TWO, hold=2) == (
        "[untildone] AUTO-CONTINUE 2 of 3: your edits in this turn brought what was not there"
        f" before: 1 error and 1 security finding.\n{LISTED}\nNext: fix the code and stop again;"
        " what was there before is not counted. If it is meant to be so, say why and end your"
        " message with <untildone:done />."
    )


def test_after_the_last_hold_the_user_gets_a_message() -> None:
    assert format_release(TWO) == (
        "untildone: released after 3 automatic holds; this turn's edits left 1 error and 1 security"
        " finding in a.py, b.py"
    )


def test_right_after_an_edit() -> None:
    assert format_edit(TWO) == (
        f"[untildone] This edit brought 1 error and 1 security finding:\n{LISTED}"
    )


def test_in_a_round_what_a_check_has_said_is_not_said_again() -> None:
    checked = CheckResult(name="lint", command="lint", outcome="red", findings=TWO[:1])
    warning = finding("c.py", severity="warning")
    both = Evidence(checks=(checked,), diagnostics=(*TWO, warning))

    assert format_round(both) == (
        snippet("""
            In the files you edited, beside the checks: 1 error (no criterion).
            a.py
              7: error F821 wrong in two lines""")
    )
    assert format_round(Evidence(checks=(checked,), diagnostics=(TWO[0], warning))) == ""


def test_of_many_files_and_findings_the_first_are_shown() -> None:
    many = [finding(f"f{file:02}.py", line) for file in range(14) for line in range(1, 11)]
    lines = format_edit(many).splitlines()

    assert lines[0] == "[untildone] This edit brought 140 errors:"
    assert lines[9:11] == ["  8: error F821 wrong in two lines", "  and 2 more"]
    assert len(format_edit([finding("x" * 500, line) for line in range(1_000)])) < 4_000
    assert format_edit([finding(f"{file}.py") for file in range(13)]).endswith("\nand 1 more file")
    assert len(format_hold(many, hold=1)) < 4_000


def test_counts_and_totals() -> None:
    severities: tuple[Severity, ...] = ("error", "error", "warning", "info", "security")
    found = [finding(severity=severity) for severity in severities]

    assert summarize_findings(found) == "2 errors and 1 security finding"
    assert count_file_totals("a.py", found) == FileTotals(
        path="a.py", errors=2, warnings=1, infos=1, security=1
    )
