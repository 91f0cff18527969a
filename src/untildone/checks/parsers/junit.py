"""JUnit XML, the report format that nearly every test runner can write."""

from collections.abc import Iterator
from xml.etree.ElementTree import ParseError, XMLParser

from msgspec import Struct

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import number_duplicates, shorten_to_line
from untildone.checks.run_report import Case, CaseOutcome, RunReport
from untildone.core.check_results import Tests
from untildone.core.late_patterns import compile_late

PROGRAMS = ()
LIMIT = 100_000_000
_DEPTH = 50
_FAILURE_LIMIT = 20_000

_START = compile_late(r"<(?:\?xml|!DOCTYPE|testsuites?)\b")
_END = compile_late(r"</testsuites?\s*>|<testsuites?\b[^<>]*/>")
_NOT_XML = compile_late("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# tests/test_cart.py:6: AssertionError
# 	at shop.CartTest.addsPrices(CartTest.java:13)
#       at TestContext.<anonymous> (file:///tmp/shop/cart.test.mjs:4:34)
_LOCATION = compile_late(
    r"(?<![^\s()<>:'\"])(?:file://)?(?P<path>[^\s()<>:'\"]+\.\w{1,10}):(?P<line>\d{1,9})\b"
)
# E   ModuleNotFoundError: No module named 'nothing_like_this'
_ERROR = compile_late(r"(?m)^E +(?P<text>\S.*)$")
_FAILED = frozenset({"failure", "error"})
_NOT_RUN = frozenset({"notrun", "disabled", "skipped"})


class RefusedReportError(Exception):
    """The document contains something that no test report has."""


class _Test(Struct):
    id: str
    attributes: dict[str, str]
    outcome: CaseOutcome = "passed"
    message: str = ""
    details: str = ""


class _Reader:
    """A target of the XML parser that keeps nothing but the tests."""

    def __init__(self) -> None:
        self.tests: list[_Test] = []
        self._open: list[str] = []
        self._suites: list[str] = []
        self._in_failure = False

    def doctype(self, name: str, *identifiers: str | None) -> None:  # noqa: ARG002 - as expat calls
        # Only a document type can declare entities, and no report needs them.
        raise RefusedReportError("a document type")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition("}")[2]
        if len(self._open) >= _DEPTH:
            raise RefusedReportError(f"more than {_DEPTH} levels")
        self._open.append(tag)
        if tag == "testsuite":
            self._suites.append(attributes.get("name", ""))
        elif tag == "testcase":
            self._add_test(attributes)
        elif self._open[-2:-1] == ["testcase"]:
            self._set_outcome(tag, attributes)

    def _add_test(self, attributes: dict[str, str]) -> None:
        outcome: CaseOutcome = "skipped" if attributes.get("status") in _NOT_RUN else "passed"
        name = _make_id(attributes, " > ".join(filter(None, self._suites)))
        self.tests.append(_Test(id=name, attributes=attributes, outcome=outcome))

    def _set_outcome(self, tag: str, attributes: dict[str, str]) -> None:
        test = self.tests[-1]
        self._in_failure = tag in _FAILED
        if tag in _FAILED:
            test.outcome = "failed"
            test.message = test.message or attributes.get("message", "")
        elif tag == "skipped" and test.outcome == "passed":
            test.outcome = "skipped"

    def data(self, text: str) -> None:
        if self._in_failure and len(self.tests[-1].details) < _FAILURE_LIMIT:
            self.tests[-1].details += text

    def end(self, tag: str) -> None:
        self._open.pop()
        self._in_failure = False
        if tag.rpartition("}")[2] == "testsuite":
            self._suites.pop()


def _make_id(attributes: dict[str, str], suites: str) -> str:
    name, class_name = attributes.get("name", ""), attributes.get("classname", "")
    file = attributes.get("file", "")
    module = file.rpartition(".")[0].replace("/", ".")
    if module and f"{class_name}.".startswith(f"{module}."):
        # The id that pytest prints, if the report has the file.
        parts = [file, *class_name[len(module) :].split("."), name]
    else:
        # node calls the class of every test `test`.
        parts = [class_name if class_name not in ("", "test") else suites or file, name]
    return shorten_to_line("::".join(filter(None, parts)))


def _read_tests(text: str) -> list[_Test] | None:
    start = _START.search(text)
    if start is None or len(text) > LIMIT:
        return None
    end = max((match.end() for match in _END.finditer(text, start.start())), default=0)
    reader = _Reader()
    parser = XMLParser(target=reader)  # noqa: S314 - the reader refuses document types
    try:
        parser.feed(_NOT_XML.sub("\ufffd", text[start.start() : end]))
        parser.close()
    except (ParseError, RefusedReportError):
        return None
    names = number_duplicates(test.id for test in reader.tests)
    for test, name in zip(reader.tests, names, strict=True):
        test.id = name
    return reader.tests


def parse_report(text: str) -> RunReport | None:
    """Return the tests of a report; None if the text is no complete report."""
    tests = _read_tests(text)
    return None if tests is None else RunReport(cases=tuple(map(_make_case, tests)))


def _make_case(test: _Test) -> Case:
    text = _choose_text(test) if test.outcome == "failed" else ""
    return Case(id=test.id, outcome=test.outcome, text=text)


def parse(output: str) -> Iterator[Diagnostic]:
    for test in _read_tests(output) or ():
        if test.outcome == "failed":
            path, line = _find_location(test)
            yield Diagnostic(path=path, line=line, code=test.id, text=_choose_text(test))


def _choose_text(test: _Test) -> str:
    message = shorten_to_line(test.message)
    # The message of pytest for every module that it cannot import.
    if message == "collection failure" and (error := _ERROR.search(test.details)):
        message = shorten_to_line(error["text"])
    return message or shorten_to_line(test.details) or "failed"


def _find_location(test: _Test) -> tuple[str, int]:
    """Return the first location in the test's own file, else the first of all."""
    names = {*test.attributes.get("classname", "").split("."), test.attributes.get("file", "")}
    locations = [(match["path"], int(match["line"])) for match in _LOCATION.finditer(test.details)]
    for path, line in locations:
        if path in names or path.rpartition("/")[2].partition(".")[0] in names:
            return path, line
    return locations[0] if locations else (test.attributes.get("file", ""), 0)


def parse_tests(output: str) -> Tests | None:
    report = parse_report(output)
    return report.tests if report else None
