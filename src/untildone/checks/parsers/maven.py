"""`mvn`: the compiler's lines, Surefire's failing tests and counts, and why the build failed."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import (
    add_names,
    make_diagnostic,
    split_blocks,
    subtract_counts,
    sum_tests,
)
from untildone.core.check_results import Tests

PROGRAMS = ("mvn", "mvnw", "mvnd")

# [ERROR] /tmp/shop/src/main/java/shop/Cart.java:[10,16] cannot find symbol
#   symbol:   method nothing(java.util.List)
_COMPILER = re.compile(
    r"^\[(?P<severity>ERROR|WARNING)\] (?P<path>\S.*?):\[(?P<line>\d{1,9}),\d+\] (?P<text>\S.*)$"
    r"(?:\n(?:\[ERROR\])? +symbol: +(?P<symbol>\S.*)$)?",
    re.MULTILINE,
)
# [ERROR] Tests run: 5, Failures: 2, Errors: 1, Skipped: 1, Time elapsed: 0.2 s - in shop.CartTest
# [ERROR] addsPrices  Time elapsed: 0 s  <<< FAILURE!
# [ERROR] shop.CartTest.addsPrices -- Time elapsed: 0.004 s <<< FAILURE!
_SUITE_OR_FAILURE = re.compile(
    r"^\[(?:ERROR|WARNING|INFO)\] (?:Tests run: .* in (?P<suite>[\w.$]+)"
    r"|(?P<test>\S.*?)(?:  | -- )Time elapsed: [\d.,]+ s {1,2}<<< (?:FAILURE|ERROR)!)$",
    re.MULTILINE,
)
# 	at shop.CartTest.addsPrices(CartTest.java:13)
_FRAME = re.compile(r"^\tat (?P<suite>[\w.$]+)\.[\w$<>]+\((?P<file>\w+\.\w+):(?P<line>\d{1,9})\)$")
# [ERROR] Tests run: 5, Failures: 2, Errors: 1, Skipped: 1
_SUMMARY = re.compile(
    r"^\[(?:ERROR|WARNING|INFO)\] Tests run: (?P<run>\d{1,9}), Failures: (?P<failures>\d{1,9}), "
    r"Errors: (?P<errors>\d{1,9}), Skipped: (?P<skipped>\d{1,9})(?:, Flakes: \d+)?$",
    re.MULTILINE,
)
# [INFO] --- maven-surefire-plugin:2.22.3:test (default-test) @ shop ---
_SUREFIRE = re.compile(r"^\[INFO\] --- (?:maven-)?surefire(?:-plugin)?:\S+:test ", re.MULTILINE)
_SKIPPED = re.compile(r"^\[INFO\] Tests are skipped\.$", re.MULTILINE)
# [ERROR] Failed to execute goal org.apache… on project shop: There are test failures.
# [FATAL] Non-parseable POM /tmp/shop/pom.xml: end tag name </project> must match start tag name
_BUILD = re.compile(
    r"^\[(?:ERROR\] (?=Failed to execute goal)|FATAL\] )(?P<text>.+)$", re.MULTILINE
)


def parse(output: str) -> Iterator[Diagnostic]:
    # Maven prints the compiler's lines twice: during the build and when it gives up.
    found = dict.fromkeys((*_parse_compiler(output), *_parse_failures(output)))
    yield from found
    if not any(each.severity == "error" for each in found):
        for match in _BUILD.finditer(output):
            yield Diagnostic(path="", code="build", text=match["text"])


def _parse_compiler(output: str) -> Iterator[Diagnostic]:
    for match in _COMPILER.finditer(output):
        text = f"{match['text']}: {match['symbol']}" if match["symbol"] else match["text"]
        yield make_diagnostic(match, text=text)


def _parse_failures(output: str) -> Iterator[Diagnostic]:
    suite = ""
    for match, block in split_blocks(_SUITE_OR_FAILURE, output):
        if match["suite"]:
            suite = match["suite"]
            continue
        message, *trace = block.strip("\n").split("\n")
        frames = filter(None, map(_FRAME.match, trace[:200]))
        frame = next((each for each in frames if each["suite"].startswith(suite)), None)
        yield Diagnostic(
            path=frame["file"] if frame else "",
            line=int(frame["line"]) if frame else 0,
            code=_make_id(match["test"], suite),
            text=message if message and not message.startswith("[") else "failed",
        )


def _make_id(test: str, suite: str) -> str:
    name = test.removesuffix(f"({suite})")
    return name if name.startswith(f"{suite}.") else f"{suite}.{name}"


def parse_tests(output: str) -> Tests | None:
    report = sum_tests(map(_read_counts, _SUMMARY.finditer(output)))
    if report is None:
        silent = _SUREFIRE.search(output) and not _SKIPPED.search(output)
        return Tests() if silent else None
    return add_names(report, (found.code for found in _parse_failures(output)))


def _read_counts(summary: re.Match[str]) -> Tests:
    failed = int(summary["failures"]) + int(summary["errors"])
    return subtract_counts(int(summary["run"]), failed=failed, skipped=int(summary["skipped"]))
