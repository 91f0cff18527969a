"""`cargo` build, test, clippy and fmt: the compiler's blocks, and the test harness's lines."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import add_names, make_diagnostic, sum_counts
from untildone.core.check_results import Tests
from untildone.core.late_patterns import compile_late

PROGRAMS = ("cargo", "rustc", "cargo-clippy")

# error[E0308]: mismatched types
#  --> src/lib.rs:2:5
_COMPILER = compile_late(
    r"(?m)^(?P<severity>error|warning)(?:\[(?P<code>E\d+)\])?: (?P<text>.+)\n"
    r" *--> (?P<path>.+?):(?P<line>\d{1,9}):\d+$"
)
#   |     ^^^^^ expected `i32`, found `&str`
_LABEL = compile_late(r"(?m)(?:\n *(?:\d+ *)?\|.*){1,9}?\n *\|[ _|-]+\^+ (?P<label>\S.*)$")
# thread 'tests::adds' (7429) panicked at src/lib.rs:15:9:
# assertion `left == right` failed
#   left: 3
#  right: 4
_PANIC = compile_late(
    r"(?m)^thread '(?P<test>.+?)'(?: \(\d+\))? panicked at "
    r"(?P<path>.+?):(?P<line>\d{1,9}):\d+:\n(?P<text>.+)"
    r"(?:\n +left: (?P<left>.+)\n +right: (?P<right>.+))?$"
)
# Diff in /tmp/shop/cargo/src/lib.rs:4:
_FORMAT = compile_late(r"(?m)^Diff in (?P<path>.+?)(?: at line |:)(?P<line>\d{1,9}):$")
# test tests::adds ... FAILED
# test tests::later ... ignored, not yet
_RESULT = compile_late(
    r"(?m)^test (?P<test>.+?)(?: - should panic)? \.\.\. (?P<result>ok|FAILED|ignored)(?:, .*)?$"
)
# failures:
#     tests::adds
_FAILURES = compile_late(r"(?m)^failures:\n(?P<names>(?:    \S.*\n)+)")
# test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.09s
_SUMMARY = compile_late(
    r"(?m)^test result: \w+\. (?P<passed>\d{1,9}) passed; (?P<failed>\d{1,9}) failed; "
    r"(?P<skipped>\d{1,9}) ignored;"
)


def parse(output: str) -> Iterator[Diagnostic]:
    for match in _COMPILER.finditer(output):
        yield make_diagnostic(match, text=_add_label(match))
    for match in _PANIC.finditer(output):
        yield make_diagnostic(match, code=match["test"], text=_add_values(match))
    for match in _FORMAT.finditer(output):
        yield make_diagnostic(match, code="rustfmt", severity="warning", text="is not formatted")


def _add_label(match: re.Match[str]) -> str:
    """Return an error's text with the label under its source: `mismatched types` is vague."""
    label = _LABEL.match(match.string, match.end()) if match["severity"] == "error" else None
    if label is None or label["label"].startswith("not found"):
        return match["text"]
    return f"{match['text']}: {label['label']}"


def _add_values(match: re.Match[str]) -> str:
    if match["left"] is None:
        return match["text"]
    return f"{match['text']} (left: {match['left']}, right: {match['right']})"


def parse_tests(output: str) -> Tests | None:
    results = [(match["result"], match["test"]) for match in _RESULT.finditer(output)]
    # With `-q` only the list at the end names the tests that failed.
    listed = [
        name.strip() for match in _FAILURES.finditer(output) for name in match["names"].splitlines()
    ]
    return add_names(
        sum_counts(_SUMMARY, output),
        [*(test for result, test in results if result == "FAILED"), *listed],
        passing=[test for result, test in results if result == "ok"],
        skipping=[test for result, test in results if result == "ignored"],
    )
