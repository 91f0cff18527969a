"""`ast-grep scan` in its three report styles."""

import pytest

from checks.parsers.recording import count_recorded, error, info, parse_recorded, warning
from untildone.checks.findings import Diagnostic
from untildone.checks.parsers import astgrep

EVAL = error("shop/cart.js", 4, "no-eval", "eval runs whatever it is given")
LOG = warning("shop/cart.js", 2, "no-log", "a log line was left behind")
VAR = info("shop/cart.js", 1, "no-var", "let or const says more")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("astgrep-0.51.0-short", (VAR, EVAL, LOG)),
        ("astgrep-0.51.0-medium", (LOG, VAR, EVAL)),
        ("astgrep-0.51.0-rich", (LOG, EVAL, VAR)),
        ("astgrep-0.51.0-green", ()),
    ],
)
def test_what_a_scan_reports_is_found(name: str, expected: tuple[Diagnostic, ...]) -> None:
    assert parse_recorded(name) == expected
    assert count_recorded(name) is None


def test_our_own_lines_are_about_security() -> None:
    line = "C:\\shop\\cart.py:7:1: security[python-eval]: text is run as code\n"

    assert list(astgrep.parse(line)) == [
        Diagnostic(
            path="C:\\shop\\cart.py",
            line=7,
            code="python-eval",
            severity="security",
            text="text is run as code",
        )
    ]


def test_the_short_form_of_rustc_is_not_ours() -> None:
    assert list(astgrep.parse("src/lib.rs:2:5: error[E0308]: mismatched types\n")) == []
