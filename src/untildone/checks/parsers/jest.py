"""`jest`: a block per failing test under its file, then the counts."""

from collections.abc import Iterator

from msgspec.structs import replace

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import JAVASCRIPT_FRAME, add_names, split_blocks, sum_counts
from untildone.core.check_results import Tests
from untildone.core.late_patterns import compile_late

PROGRAMS = ("jest",)

# FAIL red/cart.test.js
#   ● adds prices
_FILE_OR_TEST = compile_late(
    r"(?m)^(?:(?P<result>FAIL|PASS) (?P<path>\S.*?)(?: \([\d.]+ m?s\))?|  ● (?P<test>\S.*))$"
)
_SUITE = "Test suite failed to run"
_MESSAGE = compile_late(r"(?m)^    (?P<text>\S.*)$")
# Tests:       1 failed, 1 skipped, 1 todo, 1 passed, 4 total
_SUMMARY = compile_late(r"(?m)^Tests: +(?P<counts>(?:\d+ [a-z]+, )*)\d+ total$")
# No tests found, exiting with code 1
_NONE = compile_late(r"(?m)^No tests found, exiting with code \d")
_END = compile_late(r"(?m)^(?:Summary of all failing tests|Test Suites: .*)$")


def parse(output: str) -> Iterator[Diagnostic]:
    for path, test, block in _find_failures(output):
        message = _MESSAGE.search(block)
        yield Diagnostic(
            path=path,
            line=_find_line(path, block),
            code="" if test == _SUITE else test,
            text=message["text"] if message else test,
        )


def _find_failures(output: str) -> Iterator[tuple[str, str, str]]:
    """Yield file, test and text of each failure; jest may repeat them all after the counts."""
    ending = _END.search(output)
    text = output[: ending.start()] if ending else output
    path = ""
    for match, block in split_blocks(_FILE_OR_TEST, text):
        if match["path"]:
            path = match["path"] if match["result"] == "FAIL" else ""
        elif path and match["test"] != "Console":
            yield path, match["test"], block


def _find_line(path: str, block: str) -> int:
    """Return the line of the failure in the test file; 0 if the stack does not name the file.

    jest names files relative to its working directory, the stack relative to the project.
    """
    for frame in JAVASCRIPT_FRAME.finditer(block):
        if path == frame["path"] or path.endswith("/" + frame["path"]):
            return int(frame["line"])
    return 0


def parse_tests(output: str) -> Tests | None:
    report = sum_counts(_SUMMARY, output)
    if report is None:
        return Tests() if _NONE.search(output) else None
    failures = list(_find_failures(output))
    broken = dict.fromkeys(path for path, test, _ in failures if test == _SUITE)
    return add_names(
        replace(report, failed=report.failed + len(broken)),
        (path if test == _SUITE else f"{path} \u203a {test}" for path, test, _ in failures),
    )
