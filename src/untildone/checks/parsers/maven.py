"""`mvn`: the compiler's lines, Surefire's failing tests and counts, and why the build failed."""

from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import add_names, make_diagnostic, split_blocks, sum_counts
from untildone.core.check_results import Tests
from untildone.core.late_patterns import compile_late

PROGRAMS = ("mvn", "mvnw", "mvnd")

# [ERROR] /tmp/shop/src/main/java/shop/Cart.java:[10,16] cannot find symbol
#   symbol:   method nothing(java.util.List)
_COMPILER = compile_late(
    r"(?m)^\[(?P<severity>ERROR|WARNING)\] (?P<path>\S.*?):\[(?P<line>\d{1,9}),\d+\] "
    r"(?P<text>\S.*)$"
    r"(?:\n(?:\[ERROR\])? +symbol: +(?P<symbol>\S.*)$)?"
)
# [ERROR] Tests run: 5, Failures: 2, Errors: 1, Skipped: 1, Time elapsed: 0.2 s - in shop.CartTest
# [ERROR] addsPrices  Time elapsed: 0 s  <<< FAILURE!
# [ERROR] shop.CartTest.addsPrices -- Time elapsed: 0.004 s <<< FAILURE!
_SUITE_OR_FAILURE = compile_late(
    r"(?m)^\[(?:ERROR|WARNING|INFO)\] (?:Tests run: .* in (?P<suite>[\w.$]+)"
    r"|(?P<test>\S.*?)(?:  | -- )Time elapsed: [\d.,]+ s {1,2}<<< (?:FAILURE|ERROR)!)$"
)
# 	at shop.CartTest.addsPrices(CartTest.java:13)
_FRAME = compile_late(
    r"^\tat (?P<suite>[\w.$]+)\.[\w$<>]+\((?P<path>\w+\.\w+):(?P<line>\d{1,9})\)$"
)
# [ERROR] Tests run: 5, Failures: 2, Errors: 1, Skipped: 1
_SUMMARY = compile_late(
    r"(?m)^\[(?:ERROR|WARNING|INFO)\] Tests run: (?P<run>\d{1,9}), "
    r"Failures: (?P<failures>\d{1,9}), Errors: (?P<errors>\d{1,9}), "
    r"Skipped: (?P<skipped>\d{1,9})(?:, Flakes: \d+)?$"
)
# [INFO] --- maven-surefire-plugin:2.22.3:test (default-test) @ shop ---
_SUREFIRE = compile_late(r"(?m)^\[INFO\] --- (?:maven-)?surefire(?:-plugin)?:\S+:test ")
_SKIPPED = compile_late(r"(?m)^\[INFO\] Tests are skipped\.$")
# [ERROR] Failed to execute goal org.apache… on project shop: There are test failures.
# [FATAL] Non-parseable POM /tmp/shop/pom.xml: end tag name </project> must match start tag name
_BUILD = compile_late(r"(?m)^\[(?:ERROR\] (?=Failed to execute goal)|FATAL\] )(?P<text>.+)$")


def parse(output: str) -> Iterator[Diagnostic]:
    compiled = (
        make_diagnostic(match, text=": ".join(filter(None, (match["text"], match["symbol"]))))
        for match in _COMPILER.finditer(output)
    )
    # Maven prints the compiler's lines twice: during the build and when it gives up.
    found = dict.fromkeys((*compiled, *_parse_failures(output)))
    yield from found
    if not any(diagnostic.severity == "error" for diagnostic in found):
        for match in _BUILD.finditer(output):
            yield Diagnostic(path="", code="build", text=match["text"])


def _parse_failures(output: str) -> Iterator[Diagnostic]:
    suite = ""
    for match, block in split_blocks(_SUITE_OR_FAILURE, output):
        if match["suite"]:
            suite = match["suite"]
            continue
        message, *trace = block.strip("\n").split("\n")
        frames = filter(None, map(_FRAME.match, trace[:200]))
        location = next((frame for frame in frames if frame["suite"].startswith(suite)), None)
        text = message if message and not message.startswith("[") else "failed"
        yield make_diagnostic(location, code=_make_id(match["test"], suite), text=text)


def _make_id(test: str, suite: str) -> str:
    name = test.removesuffix(f"({suite})")
    return name if name.startswith(f"{suite}.") else f"{suite}.{name}"


def parse_tests(output: str) -> Tests | None:
    report = sum_counts(_SUMMARY, output)
    if report is None:
        silent = _SUREFIRE.search(output) and not _SKIPPED.search(output)
        return Tests() if silent else None
    return add_names(report, (found.code for found in _parse_failures(output)))
