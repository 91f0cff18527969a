"""`node --test`: TAP or the output of the spec reporter; both end with the same counts."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import add_names, make_diagnostic, sum_tests
from untildone.core.check_results import Tests

PROGRAMS = ("node", "tsx")

# not ok 2 - adds prices
#   location: '/tmp/shop/node/red/cart.test.mjs:4:1'
#   failureType: 'testCodeFailure'
#   error: '1 == 2'
_TAP = re.compile(
    r"^(?P<indent> *)not ok \d+ - (?P<test>.+?)(?: # (?P<directive>\w+).*)?$", re.MULTILINE
)
_LOCATION = re.compile(r"^ +location: '(?P<path>.+?):(?P<line>\d{1,9}):\d+'$", re.MULTILINE)
# Expected values to be strictly equal:
#
# 2 !== 3
_VALUES = r"(?:(?<=:)\n *\n +(?P<values>\S.* !== .+))?"
_ERROR = re.compile(rf"^ +error: (?:\|-\n +(?P<block>.+){_VALUES}|'(?P<text>.*)')$", re.MULTILINE)
_SUBTESTS_FAILED = re.compile(r"^ +failureType: 'subtestsFailed'$", re.MULTILINE)
# test at red/cart.test.mjs:4:1
# ✖ adds prices (1.877208ms)
#   AssertionError [ERR_ASSERTION]: 1 == 2
_SPEC = re.compile(
    r"^ *test at (?P<path>.+?):(?P<line>\d{1,9}):\d+\n"
    rf" *✖ (?P<test>.+?) \([\d.]+ms\)(?:\n +(?P<text>\S.*){_VALUES})?$",
    re.MULTILINE,
)
# # tests 7
# # suites 1
# # pass 2
# # fail 3
# # cancelled 0
# # skipped 1
# # todo 1
_SUMMARY = re.compile(
    r"^(?P<sign>[#\u2139]) tests \d+\n(?:(?P=sign) suites \d+\n)?"
    r"(?P=sign) pass (?P<passed>\d{1,9})\n(?P=sign) fail (?P<failed>\d{1,9})\n"
    r"(?P=sign) cancelled (?P<cancelled>\d{1,9})\n(?P=sign) skipped (?P<skipped>\d{1,9})\n"
    r"(?P=sign) todo (?P<todo>\d{1,9})$",
    re.MULTILINE,
)


def parse(output: str) -> Iterator[Diagnostic]:
    yield from _parse_tap(output)
    for match in _SPEC.finditer(output):
        text = _add_values((match["text"] or "failed").strip("'"), match)
        yield make_diagnostic(match, code=match["test"], text=text)


def _parse_tap(output: str) -> Iterator[Diagnostic]:
    # Only node writes this word into its TAP.
    if "duration_ms" not in output:
        return
    for match in _TAP.finditer(output):
        end = output.find(f"\n{match['indent']}  ...", match.end())
        block = output[match.end() : end] if end >= 0 else ""
        if match["directive"] or _SUBTESTS_FAILED.search(block):
            continue
        location = _LOCATION.search(block)
        error = _ERROR.search(block)
        yield Diagnostic(
            path=location["path"] if location else "",
            line=int(location["line"]) if location else 0,
            code=match["test"],
            text=_add_values(error["block"] or error["text"], error) if error else "failed",
        )


def _add_values(text: str, match: re.Match[str]) -> str:
    return f"{text} {match['values']}" if match["values"] else text


def parse_tests(output: str) -> Tests | None:
    report = sum_tests(map(_read_counts, _SUMMARY.finditer(output)))
    return add_names(report, (found.code for found in parse(output)))


def _read_counts(summary: re.Match[str]) -> Tests:
    return Tests(
        passed=int(summary["passed"]),
        failed=int(summary["failed"]) + int(summary["cancelled"]),
        skipped=int(summary["skipped"]) + int(summary["todo"]),
    )
