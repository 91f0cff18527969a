"""`python -m unittest`: a block per failure, then how many ran."""

import re
from collections.abc import Iterator

from msgspec.structs import replace

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import add_names, count_tests, make_diagnostic, split_blocks, sum_tests
from untildone.core.check_results import Tests
from untildone.core.late_patterns import compile_late

PROGRAMS = ("unittest",)

# FAIL: test_rows (test_cart.CartTest.test_rows) (row=-1)
# ERROR: setUpClass (test_cart.CartTest)
# UNEXPECTED SUCCESS: test_mended (test_cart.CartTest.test_mended)
_FAILURE = compile_late(
    r"(?m)^(?P<kind>FAIL|ERROR|UNEXPECTED SUCCESS): "
    r"(?P<test>\S+) \((?P<where>[\w.<>]+)\)(?P<row>.*)$"
)
#   File "/tmp/shop/uni/test_cart.py", line 17, in test_rows
# AssertionError: -1 not greater than 0
_FRAME = compile_late(r'^  File "(?P<path>[^"\n]+)", line (?P<line>\d{1,9})', re.MULTILINE)
_MESSAGE = compile_late(r"(?m)^(?P<text>[A-Za-z_][\w.]*(?:: .*)?)$")
_RULE = "\n" + "=" * 70
# Ran 5 tests in 0.001s
#
# FAILED (failures=2, errors=1, skipped=1)
_SUMMARY = compile_late(
    r"(?m)^Ran (?P<ran>\d{1,9}) tests? in \d+\.\d+s\n\n"
    r"(?:OK|FAILED|NO TESTS RAN)(?: \((?P<counts>.*)\))?$"
)
_COUNT = compile_late(r"([a-z ]{1,40})=(\d{1,9})")
# .Fsxu
_PROGRESS = compile_late(r"(?m)^([.FEsxu]+)\n(?:={70}|-{70})$")
# test_total (test_cart.CartTest.test_total) ... ok
# test_later (test_cart.CartTest.test_later)
# Adds prices. ... skipped 'later'
#   test_rows (test_cart.CartTest.test_rows) (row=2) ... skipped 'no row'
_VERBOSE = compile_late(
    r"(?m)^(?:  )?(?P<test>\w+) \((?P<where>[\w.<>]+)\)(?P<row>(?: \(.*\))?)(?:\n.*)? \.\.\. "
    r"(?:(?P<passed>ok)|skipped .*|expected failure)$"
)


def parse(output: str) -> Iterator[Diagnostic]:
    for match, below in split_blocks(_FAILURE, output):
        block = below.split(_RULE, 1)[0]
        frames = list(_FRAME.finditer(block))
        messages = _MESSAGE.findall(block, frames[-1].end() if frames else 0)
        text = messages[0] if messages else match["kind"].lower()
        yield make_diagnostic(frames[-1] if frames else None, code=_make_id(match), text=text)


def _make_id(match: re.Match[str]) -> str:
    location, test = match["where"], match["test"]
    name = location if location.endswith(f".{test}") else f"{location}.{test}"
    return name + match["row"].rstrip()


def parse_tests(output: str) -> Tests | None:
    verbose = list(_VERBOSE.finditer(output))
    return add_names(
        sum_tests(_read_summaries(output)),
        map(_make_id, _FAILURE.finditer(output)),
        passing=[_make_id(match) for match in verbose if match["passed"]],
        skipping=[_make_id(match) for match in verbose if not match["passed"]],
    )


def _read_summaries(output: str) -> Iterator[Tests]:
    begin = 0
    for summary in _SUMMARY.finditer(output):
        words = _COUNT.findall(summary["counts"] or "")
        ran = int(summary["ran"])
        tests = count_tests({word.strip(): int(number) for word, number in words} | {"run": ran})
        # Subtests and whole classes fail or are skipped without being one of the tests that ran.
        passed = _count_passed(output[begin : summary.start()])
        yield replace(tests, passed=max(tests.passed, min(ran, passed)))
        begin = summary.end()


def _count_passed(output: str) -> int:
    dots = sum(line.count(".") for line in _PROGRESS.findall(output))
    return dots or sum(match["passed"] is not None for match in _VERBOSE.finditer(output))
