"""`python -m unittest`: a block per failure, then how many ran."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import blocks, named, total
from untildone.loop.model import Tests

PROGRAMS = ("unittest",)

# FAIL: test_rows (test_cart.CartTest.test_rows) (row=-1)
# ERROR: setUpClass (test_cart.CartTest)
_FAILURE = re.compile(
    r"^(?P<kind>FAIL|ERROR): (?P<test>\S+) \((?P<where>[\w.<>]+)\)(?P<row>.*)$", re.MULTILINE
)
#   File "/tmp/shop/uni/test_cart.py", line 17, in test_rows
# AssertionError: -1 not greater than 0
_PLACE = re.compile(r'^  File "(?P<path>[^"\n]+)", line (?P<line>\d{1,9})', re.MULTILINE)
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
# test_total (test_cart.CartTest.test_total) ... ok
# test_later (test_cart.CartTest.test_later)
# Adds prices. ... skipped 'later'
_VERBOSE = re.compile(
    r"^(?P<test>\w+) \((?P<where>[\w.<>]+)\)(?P<row>)(?:\n.*)? \.\.\. "
    r"(?:(?P<passed>ok)|skipped .*|expected failure)$",
    re.MULTILINE,
)


def parse(output: str) -> Iterator[Diagnostic]:
    for match, end in blocks(list(_FAILURE.finditer(output)), len(output)):
        block = output[match.end() : end].split(_RULE, 1)[0]
        places = list(_PLACE.finditer(block))
        messages = _MESSAGE.findall(block, places[-1].end() if places else 0)
        yield Diagnostic(
            path=places[-1]["path"] if places else "",
            line=int(places[-1]["line"]) if places else 0,
            code=_id(match),
            text=messages[0] if messages else match["kind"].lower(),
        )


def _id(match: re.Match[str]) -> str:
    where, test = match["where"], match["test"]
    name = where if where.endswith(f".{test}") else f"{where}.{test}"
    return name + match["row"].rstrip()


def tests(output: str) -> Tests | None:
    told = list(_VERBOSE.finditer(output))
    return named(
        total(map(_counts, _SUMMARY.finditer(output))),
        map(_id, _FAILURE.finditer(output)),
        passing=[_id(match) for match in told if match["passed"]],
        skipping=[_id(match) for match in told if not match["passed"]],
    )


def _counts(summary: re.Match[str]) -> Tests:
    counts = {word.strip(): int(number) for word, number in _COUNT.findall(summary["counts"] or "")}
    failed = counts.get("failures", 0) + counts.get("errors", 0)
    skipped = counts.get("skipped", 0) + counts.get("expected failures", 0)
    failed += counts.get("unexpected successes", 0)
    # Several failing subtests are one test, so the difference may be less than nothing.
    return Tests(
        passed=max(int(summary["ran"]) - failed - skipped, 0), failed=failed, skipped=skipped
    )
