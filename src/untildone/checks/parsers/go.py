"""`go` build, vet and test, `golangci-lint`: lines of code, failing tests, a line per package."""

import re
from bisect import bisect
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import add_names, make_diagnostic
from untildone.core.check_results import Tests
from untildone.core.late_patterns import compile_late

PROGRAMS = ("go", "gotestsum", "golangci-lint")

# cart/cart.go:5:65: cannot use len(prices) (value of type int) as string value
# vet: cart/cart.go:5:2: undefined: x
# cart/cart.go:5:2: ineffectual assignment to price (ineffassign)
_COMPILER = compile_late(
    r"(?m)^(?:vet: )?(?P<path>[^\s:][^:\n]*\.go):(?P<line>\d{1,9}):\d+: (?P<text>.+?)"
    r"(?: \((?P<code>[a-z][a-z0-9-]*)\))?$"
)
#     --- FAIL: TestRows/one (0.00s)
_RESULT = compile_late(r"(?m)^ *--- (?P<result>PASS|FAIL|SKIP): (?P<test>\S+) \([\d.]+s\)$")
# === RUN   TestRows/one
_NAME = compile_late(r"^(?:=== (?:RUN|NAME|CONT) +| *--- FAIL: )(?P<test>\S+)")
#         cart_test.go:13: no row
# panic: no [recovered, repanicked]
_MESSAGE = compile_late(
    r"^(?: +(?P<path>[^\s:]+\.go):(?P<line>\d{1,9}): (?P<text>.+)|panic: (?P<panic>.+))$"
)
# ok  	shop/cart	0.002s
# ok  	shop/cart	(cached)	[no tests to run]
# ?   	shop/price	[no test files]
# FAIL	shop/cart [build failed]
# FAIL	shop/cart	0.004s
_PACKAGE = compile_late(r"(?m)^(?P<result>ok  |\?   |FAIL)\t(?P<name>\S+)(?P<rest>[\t ].*)?$")
# 	shop/price		coverage: 0.0% of statements
_COVERAGE = compile_late(r"(?m)^\t\S+\t\tcoverage: 0\.0% of statements$")


def parse(output: str) -> Iterator[Diagnostic]:
    yield from map(make_diagnostic, _COMPILER.finditer(output))
    yield from _find_failures(output)
    results = list(_RESULT.finditer(output))
    for package in _PACKAGE.finditer(output):
        if _is_broken(package, results):
            text = "build failed" if "failed]" in package[0] else "ended early"
            yield Diagnostic(path="", code=package["name"], text=text)


def _find_failures(output: str) -> Iterator[Diagnostic]:
    """Yield the tests that failed themselves, without parents that fail by a subtest."""
    messages = _find_messages(output)
    failed = [match["test"] for match in _RESULT.finditer(output) if match["result"] == "FAIL"]
    parents = {test.rpartition("/")[0] for test in failed}
    for test in failed:
        message = messages.get(test)
        if message is None and test in parents:
            continue
        text = (message["text"] or message["panic"]) if message else "failed"
        yield make_diagnostic(message, code=test, text=text)


def _find_messages(output: str) -> dict[str, re.Match[str]]:
    """Return the first message of each test: below its result, or with `-v` below its name."""
    found: dict[str, re.Match[str]] = {}
    test = ""
    for line in output.splitlines():
        if name := _NAME.match(line):
            test = name["test"]
        elif message := _MESSAGE.match(line):
            found.setdefault(test, message)
    return found


def parse_tests(output: str) -> Tests | None:
    """Return the tests; without `-v` a package that passed hides its tests and counts as one."""
    packages = list(_PACKAGE.finditer(output))
    results = list(_RESULT.finditer(output))
    if not packages and not results:
        return Tests() if _COVERAGE.search(output) else None
    outcomes = [match["result"] for match in results]
    broken = [match["name"] for match in packages if _is_broken(match, results)]
    passed_packages = [match["name"] for match in packages if _has_passed(match)]
    ids = {kind: list(_make_ids(results, packages, kind)) for kind in ("PASS", "FAIL", "SKIP")}
    return add_names(
        Tests(
            passed=outcomes.count("PASS") or len(passed_packages),
            failed=outcomes.count("FAIL") + len(broken),
            skipped=outcomes.count("SKIP"),
        ),
        [*ids["FAIL"], *broken],
        passing=ids["PASS"] or passed_packages,
        skipping=ids["SKIP"],
    )


def _make_ids(
    results: list[re.Match[str]], packages: list[re.Match[str]], kind: str
) -> Iterator[str]:
    """Yield ids with the package, whose line follows its tests: names repeat across packages."""
    ends = [package.start() for package in packages]
    for result in results:
        if result["result"] == kind:
            index = bisect(ends, result.start())
            name = packages[index]["name"] if index < len(packages) else ""
            yield "::".join(filter(None, (name, result["test"])))


def _has_passed(package: re.Match[str]) -> bool:
    return package["result"] == "ok  " and "[no tests to run]" not in (package["rest"] or "")


def _is_broken(package: re.Match[str], results: list[re.Match[str]]) -> bool:
    """Say whether a package failed without a failing test: not built, or ended early."""
    if package["result"] != "FAIL":
        return False
    return "failed]" in (package["rest"] or "") or not any(
        result["result"] == "FAIL" for result in results
    )
