"""`mocha` with the spec reporter: the counts, then a numbered block per failure."""

from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import (
    JAVASCRIPT_FRAME,
    add_names,
    make_diagnostic,
    split_blocks,
    sum_counts,
)
from untildone.core.check_results import Tests
from untildone.core.late_patterns import compile_late

PROGRAMS = ("mocha", "_mocha")

#   1 passing (4ms)
#   1 pending
#   2 failing
_SUMMARY = compile_late(
    r"(?m)^ *(?P<passed>\d{1,9}) passing \([\d.]+m?[smh]\)\n"
    r"(?: *(?P<skipped>\d{1,9}) pending\n)?(?: *(?P<failed>\d{1,9}) failing\n)?"
)
#   1) cart
#        adds prices:
#
#       AssertionError [ERR_ASSERTION]: 1 == 2
_FAILURE = compile_late(r"(?m)^  \d+\) (?P<title>\S.*(?:\n {4,}\S.*)*?):\n\s*(?P<text>\S.*)$")


def parse(output: str) -> Iterator[Diagnostic]:
    summary = _SUMMARY.search(output)
    if summary is None:
        return
    for match, block in split_blocks(_FAILURE, output[summary.end() :]):
        title = " ".join(part.strip() for part in match["title"].splitlines())
        yield make_diagnostic(JAVASCRIPT_FRAME.search(block), code=title, text=match["text"])


def parse_tests(output: str) -> Tests | None:
    report = sum_counts(_SUMMARY, output)
    return add_names(report, (found.code for found in parse(output)))
