"""`mocha` with the spec reporter: the counts, then a numbered block per failure."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import STACK_PLACE, blocks, named, total
from untildone.core.check_results import Tests

PROGRAMS = ("mocha", "_mocha")

#   1 passing (4ms)
#   1 pending
#   2 failing
_SUMMARY = re.compile(
    r"^ *(?P<passed>\d{1,9}) passing \([\d.]+m?[smh]\)\n"
    r"(?: *(?P<pending>\d{1,9}) pending\n)?(?: *(?P<failed>\d{1,9}) failing\n)?",
    re.MULTILINE,
)
#   1) cart
#        adds prices:
#
#       AssertionError [ERR_ASSERTION]: 1 == 2
_BLOCK = re.compile(r"^  \d+\) (?P<title>\S.*(?:\n {4,}\S.*)*?):\n\s*(?P<text>\S.*)$", re.MULTILINE)


def parse(output: str) -> Iterator[Diagnostic]:
    summary = _SUMMARY.search(output)
    if summary is None:
        return
    for match, end in blocks(list(_BLOCK.finditer(output, summary.end())), len(output)):
        place = STACK_PLACE.search(output, match.end(), end)
        yield Diagnostic(
            path=place["path"].removeprefix("file://") if place else "",
            line=int(place["line"]) if place else 0,
            code=" ".join(part.strip() for part in match["title"].splitlines()),
            text=match["text"],
        )


def tests(output: str) -> Tests | None:
    report = total(map(_counts, _SUMMARY.finditer(output)))
    return named(report, (found.code for found in parse(output)))


def _counts(summary: re.Match[str]) -> Tests:
    return Tests(
        passed=int(summary["passed"]),
        failed=int(summary["failed"] or 0),
        skipped=int(summary["pending"] or 0),
    )
