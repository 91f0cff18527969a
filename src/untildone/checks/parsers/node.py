"""`node --test`: TAP or the output of the spec reporter; both end with the same counts."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import add_names, make_diagnostic, sum_counts
from untildone.core.check_results import Tests
from untildone.core.late_patterns import compile_late

PROGRAMS = ("node", "tsx")

# not ok 2 - adds prices
#   location: '/tmp/shop/node/red/cart.test.mjs:4:1'
#   failureType: 'testCodeFailure'
#   error: '1 == 2'
_TAP = compile_late(r"(?m)^(?P<indent> *)not ok \d+ - (?P<test>.+?)(?: # (?P<directive>\w+).*)?$")
_LOCATION = compile_late(r"(?m)^ +location: '(?P<path>.+?):(?P<line>\d{1,9}):\d+'$")
# Expected values to be strictly equal:
#
# 2 !== 3
_VALUES = r"(?:(?<=:)\n *\n +(?P<values>\S.* !== .+))?"
_ERROR = compile_late(rf"(?m)^ +error: (?:\|-\n +(?P<block>.+){_VALUES}|'(?P<text>.*)')$")
_SUBTESTS_FAILED = compile_late(r"(?m)^ +failureType: 'subtestsFailed'$")
# test at red/cart.test.mjs:4:1
# ✖ adds prices (1.877208ms)
#   AssertionError [ERR_ASSERTION]: 1 == 2
_SPEC = compile_late(
    r"(?m)^ *test at (?P<path>.+?):(?P<line>\d{1,9}):\d+\n"
    rf" *✖ (?P<test>.+?) \([\d.]+ms\)(?:\n +(?P<text>\S.*){_VALUES})?$"
)
# # tests 7
# # suites 1
# # pass 2
# # fail 3
# # cancelled 0
# # skipped 1
# # todo 1
_SUMMARY = compile_late(
    r"(?m)^(?P<sign>[#\u2139]) tests \d+\n(?:(?P=sign) suites \d+\n)?"
    r"(?P=sign) pass (?P<passed>\d{1,9})\n(?P=sign) fail (?P<failed>\d{1,9})\n"
    r"(?P=sign) cancelled (?P<cancelled>\d{1,9})\n(?P=sign) skipped (?P<skipped>\d{1,9})\n"
    r"(?P=sign) todo (?P<todo>\d{1,9})$"
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
        error = _ERROR.search(block)
        text = _add_values(error["block"] or error["text"], error) if error else "failed"
        yield make_diagnostic(_LOCATION.search(block), code=match["test"], text=text)


def _add_values(text: str, match: re.Match[str]) -> str:
    return f"{text} {match['values']}" if match["values"] else text


def parse_tests(output: str) -> Tests | None:
    report = sum_counts(_SUMMARY, output)
    return add_names(report, (found.code for found in parse(output)))
