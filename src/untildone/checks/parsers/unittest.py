"""`python -m unittest`: a block per failure, then how many ran."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import add_names, split_blocks, sum_tests
from untildone.core.check_results import Tests

PROGRAMS = ("unittest",)

# FAIL: test_rows (test_cart.CartTest.test_rows) (row=-1)
# ERROR: setUpClass (test_cart.CartTest)
# UNEXPECTED SUCCESS: test_mended (test_cart.CartTest.test_mended)
_FAILURE = re.compile(
    r"^(?P<kind>FAIL|ERROR|UNEXPECTED SUCCESS): (?P<test>\S+) \((?P<where>[\w.<>]+)\)(?P<row>.*)$",
    re.MULTILINE,
)
#   File "/tmp/shop/uni/test_cart.py", line 17, in test_rows
# AssertionError: -1 not greater than 0
_FRAME = re.compile(r'^  File "(?P<path>[^"\n]+)", line (?P<line>\d{1,9})', re.MULTILINE)
_MESSAGE = re.compile(r"^(?P<text>[A-Za-z_][\w.]*(?:: .*)?)$", re.MULTILINE)
_RULE = "\n" + "=" * 70
# Ran 5 tests in 0.001s
#
# FAILED (failures=2, errors=1, skipped=1)
_SUMMARY = re.compile(
    r"^Ran (?P<ran>\d{1,9}) tests? in \d+\.\d+s\n\n"
    r"(?:OK|FAILED|NO TESTS RAN)(?: \((?P<counts>.*)\))?$",
    re.MULTILINE,
)
_COUNT = re.compile(r"([a-z ]{1,40})=(\d{1,9})")
# .Fsxu
_PROGRESS = re.compile(r"^([.FEsxu]+)\n(?:={70}|-{70})$", re.MULTILINE)
# test_total (test_cart.CartTest.test_total) ... ok
# test_later (test_cart.CartTest.test_later)
# Adds prices. ... skipped 'later'
#   test_rows (test_cart.CartTest.test_rows) (row=2) ... skipped 'no row'
_VERBOSE = re.compile(
    r"^(?:  )?(?P<test>\w+) \((?P<where>[\w.<>]+)\)(?P<row>(?: \(.*\))?)(?:\n.*)? \.\.\. "
    r"(?:(?P<passed>ok)|skipped .*|expected failure)$",
    re.MULTILINE,
)


def parse(output: str) -> Iterator[Diagnostic]:
    for match, below in split_blocks(_FAILURE, output):
        block = below.split(_RULE, 1)[0]
        frames = list(_FRAME.finditer(block))
        messages = _MESSAGE.findall(block, frames[-1].end() if frames else 0)
        yield Diagnostic(
            path=frames[-1]["path"] if frames else "",
            line=int(frames[-1]["line"]) if frames else 0,
            code=_make_id(match),
            text=messages[0] if messages else match["kind"].lower(),
        )


def _make_id(match: re.Match[str]) -> str:
    where, test = match["where"], match["test"]
    name = where if where.endswith(f".{test}") else f"{where}.{test}"
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
        yield _read_counts(summary, output[begin : summary.start()])
        begin = summary.end()


def _read_counts(summary: re.Match[str], before: str) -> Tests:
    counts = {word.strip(): int(number) for word, number in _COUNT.findall(summary["counts"] or "")}
    failed = counts.get("failures", 0) + counts.get("errors", 0)
    skipped = counts.get("skipped", 0) + counts.get("expected failures", 0)
    failed += counts.get("unexpected successes", 0)
    ran = int(summary["ran"])
    # Subtests and whole classes fail or are skipped without being one of the tests that ran.
    passed = max(ran - failed - skipped, min(ran, _count_passed(before)))
    return Tests(passed=passed, failed=failed, skipped=skipped)


def _count_passed(output: str) -> int:
    dots = sum(line.count(".") for line in _PROGRESS.findall(output))
    return dots or sum(match["passed"] is not None for match in _VERBOSE.finditer(output))
