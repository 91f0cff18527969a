"""`pytest`: the short summary of failures, then one line of counts."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import add_names, parse_counts, read_counts, sum_tests
from untildone.core.check_results import Tests
from untildone.core.late_patterns import compile_late

PROGRAMS = ("pytest", "py.test")

# FAILED tests/test_cart.py::test_price[2] - assert 2 == 1
# ERROR tests/test_cart.py::test_database - RuntimeError: no database
# ERROR import_error/test_broken.py
_FAILURE = compile_late(
    r"(?m)^(?P<kind>FAILED|ERROR) (?P<id>(?P<path>[^\s:][^:\n]*?\.\w+)(?:::(?P<test>.+?))?)"
    r"(?: - (?P<text>.*))?$"
)
# ________________________________ test_price[2] _________________________________
# E   ModuleNotFoundError: No module named 'nothing_like_this'
# tests/test_cart.py:14: AssertionError
_DETAIL = compile_late(
    r"(?m)^(?:_{3,} (?P<title>\S.*?) _{3,}|E +(?P<error>\S.*)"
    r"|(?P<path>[^\s:][^:\n]*):(?P<line>\d{1,9}): .*)$"
)
# ========== 2 failed, 2 passed, 1 skipped, 1 xfailed, 1 error in 0.75s ==========
# 2 passed in 1.27s
# ============================ no tests ran in 0.76s =============================
_SUMMARY = compile_late(
    r"(?m)^(?:=+ )?(?P<counts>no tests ran|no tests collected|\d+ [a-z]+(?:, \d+ [a-z]+)*)"
    r" in \d+\.\d+s(?: \([\d:., a-z]+\))?(?: =+)?$"
)
_WORDS = {"passed", "failed", "error", "errors", "skipped", "xfailed", "xpassed", "deselected"}
_WARNINGS = {"warning", "warnings"}
_TITLE_NOISE = compile_late(r"^ERROR (?:at (?:setup|teardown) of|collecting) ")


def parse(output: str) -> Iterator[Diagnostic]:
    lines, errors = _find_details(output)
    for match in _FAILURE.finditer(output):
        test = match["test"] or ""
        title = test.replace("::", ".") or match["path"]
        yield Diagnostic(
            path=match["path"],
            line=lines.get((match["path"], title), 0),
            code=test,
            text=match["text"] or errors.get(title) or match["kind"].lower(),
        )


def _find_details(output: str) -> tuple[dict[tuple[str, str], int], dict[str, str]]:
    """Return the last line shown for each file and test, and the first error of each test."""
    lines: dict[tuple[str, str], int] = {}
    errors: dict[str, str] = {}
    title = ""
    for match in _DETAIL.finditer(output):
        if match["title"]:
            title = _TITLE_NOISE.sub("", match["title"])
        elif match["error"]:
            errors.setdefault(title, match["error"])
        else:
            lines[match["path"], title] = int(match["line"])
    return lines, errors


def parse_tests(output: str) -> Tests | None:
    summaries = filter(_counts_tests, _SUMMARY.finditer(output))
    report = sum_tests(map(read_counts, summaries))
    return add_names(report, (match["id"] for match in _FAILURE.finditer(output)))


def _counts_tests(summary: re.Match[str]) -> bool:
    words = parse_counts(summary["counts"]).keys()
    # Without the decoration `3 warnings in 0.12s` may be the last line of any linter.
    test_words = _WORDS | _WARNINGS if summary[0].startswith("=") else _WORDS
    return not words or bool(words & test_words)
