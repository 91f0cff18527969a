"""`cmake` and `ctest`: errors in the build files, and a line per test."""

from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import make_diagnostic, name_tests
from untildone.core.check_results import Tests
from untildone.core.late_patterns import compile_late

PROGRAMS = ("cmake", "ctest")

# CMake Error at CMakeLists.txt:3 (add_executable):
#   Cannot find source file:
#
#     nothing.c
_MESSAGE = compile_late(
    r"(?m)^CMake (?P<severity>Error|Warning)(?: \(dev\))? at (?P<path>\S[^\n]*?):(?P<line>\d{1,9})"
    r"(?: \([^()\n]*\))?:\n  (?P<text>\S[^\n]*)(?:(?<=:)\n\n    (?P<what>\S[^\n]*))?$"
)
# 1/7 Test #1: adds .............................***Failed    0.01 sec
# 3/7 Test #3: crashes ..........................Subprocess aborted***Exception:   0.01 sec
# 5/7 Test #5: later ............................***Not Run (Disabled)   0.00 sec
_TEST = compile_late(r"(?m)^ *\d+/\d+ Test +#\d+: (?P<result>\S.*) sec$")
_NONE = compile_late(r"(?m)^No tests were found!!!$")
_SKIPPED = ("***Skipped", "***Not Run (Disabled)")


def parse(output: str) -> Iterator[Diagnostic]:
    for match in _MESSAGE.finditer(output):
        text = " ".join(filter(None, (match["text"], match["what"])))
        yield make_diagnostic(match, text=text)
    for test, result in _read_results(output):
        if result not in ("Passed", *_SKIPPED):
            text = result.replace("***", " ").strip(" :").lower()
            yield Diagnostic(path="", code=test, text=text)


def parse_tests(output: str) -> Tests | None:
    results = list(_read_results(output))
    if not results:
        return Tests() if _NONE.search(output) else None
    passing = [test for test, result in results if result == "Passed"]
    skipping = [test for test, result in results if result in _SKIPPED]
    failing = [test for test, result in results if result not in ("Passed", *_SKIPPED)]
    return name_tests(failing, passing=passing, skipping=skipping)


def _read_results(output: str) -> Iterator[tuple[str, str]]:
    """Yield each test with its result."""
    for match in _TEST.finditer(output):
        # Split from the end, since a name may contain dots; a pattern would be slow.
        text, _, _seconds = match["result"].rpartition(" ")
        test, dots, result = text.rpartition("..")
        if dots:
            yield test.rstrip(".").removesuffix(" "), result.strip()
