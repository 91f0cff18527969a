"""`jest`: a block per failing test under its file, then the counts."""

import re
from collections.abc import Iterator

from msgspec.structs import replace

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import STACK_PLACE, blocks, counts, named, total
from untildone.core.check_results import Tests

PROGRAMS = ("jest",)

# FAIL red/cart.test.js
#   ● adds prices
_FILE_OR_TEST = re.compile(
    r"^(?:(?P<result>FAIL|PASS) (?P<path>\S.*?)(?: \([\d.]+ m?s\))?|  ● (?P<test>\S.*))$",
    re.MULTILINE,
)
_SUITE = "Test suite failed to run"
_MESSAGE = re.compile(r"^    (?P<text>\S.*)$", re.MULTILINE)
# Tests:       1 failed, 1 skipped, 1 todo, 1 passed, 4 total
_SUMMARY = re.compile(r"^Tests: +(?P<counts>(?:\d+ [a-z]+, )*)\d+ total$", re.MULTILINE)
# No tests found, exiting with code 1
_NONE = re.compile(r"^No tests found, exiting with code \d", re.MULTILINE)
_END = re.compile(r"^(?:Summary of all failing tests|Test Suites: .*)$", re.MULTILINE)


def parse(output: str) -> Iterator[Diagnostic]:
    for path, test, block in _failures(output):
        message = _MESSAGE.search(block)
        yield Diagnostic(
            path=path,
            line=_line(path, block),
            code="" if test == _SUITE else test,
            text=message["text"] if message else test,
        )


def _failures(output: str) -> Iterator[tuple[str, str, str]]:
    """File, test and text of each failure; after the counts jest may repeat them all."""
    ending = _END.search(output)
    shown = output[: ending.start()] if ending else output
    path = ""
    for match, end in blocks(list(_FILE_OR_TEST.finditer(shown)), len(shown)):
        if match["path"]:
            path = match["path"] if match["result"] == "FAIL" else ""
        elif path and match["test"] != "Console":
            yield path, match["test"], shown[match.end() : end]


def _line(path: str, block: str) -> int:
    """jest names the file from where it was started, the stack from the root of the project."""
    for place in STACK_PLACE.finditer(block):
        if path == place["path"] or path.endswith("/" + place["path"]):
            return int(place["line"])
    return 0


def tests(output: str) -> Tests | None:
    report = total(map(_counts, _SUMMARY.finditer(output)))
    if report is None:
        return Tests() if _NONE.search(output) else None
    failures = list(_failures(output))
    broken = dict.fromkeys(path for path, test, _ in failures if test == _SUITE)
    return named(
        replace(report, failed=report.failed + len(broken)),
        (path if test == _SUITE else f"{path} \u203a {test}" for path, test, _ in failures),
    )


def _counts(summary: re.Match[str]) -> Tests:
    told = counts(summary["counts"])
    return Tests(
        passed=told.get("passed", 0),
        failed=told.get("failed", 0),
        skipped=told.get("skipped", 0) + told.get("todo", 0) + told.get("pending", 0),
    )
