"""Reports with hostile, oversized or unrelated content."""

import json
from collections.abc import Mapping

import pytest

from snippets import snippet
from untildone.checks.findings import Diagnostic
from untildone.checks.parsers import junit, sarif
from untildone.checks.run_report import Case, RunReport
from untildone.core.check_results import Severity

ONE = '<testsuite><testcase name="a"/></testsuite>'
PASSED = RunReport(cases=(Case(id="a", outcome="passed"),))
ENTITY = '<!DOCTYPE a [<!ENTITY e "eeee">]><testsuite><testcase name="&e;"/></testsuite>'


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f'<?xml version="1.0"?>\n{ENTITY}', id="entities"),
        pytest.param(ENTITY, id="entities without a declaration"),
        pytest.param(f'<?xml version="1.0"?><!DOCTYPE testsuite SYSTEM "a.dtd">{ONE}', id="a DTD"),
        pytest.param("<testsuite>" * 60 + "</testsuite>" * 60, id="too deep"),
        pytest.param(ONE + " " * junit.LIMIT, id="too long"),
        pytest.param(f"<?xml version='1.0'?><report>{ONE}</report>", id="another document"),
        pytest.param('<testsuite><testcase name="a"/></tests', id="cut off"),
        pytest.param("<testsuite><testcase></testsuite>", id="not closed"),
        pytest.param("nothing of tests", id="no document"),
        pytest.param("", id="empty"),
    ],
)
def test_what_is_no_whole_report_has_no_tests(text: str) -> None:
    assert junit.parse_report(text) is None
    assert junit.parse_tests(text) is None
    assert list(junit.parse(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"\ufeff<?xml version='1.0' encoding='UTF-16'?>\n{ONE}\n", id="its encoding"),
        pytest.param(f"starting\n{ONE}\ndone", id="lines around it"),
        pytest.param(
            '<testsuites xmlns="urn:a"><testsuite><testcase name="a"/></testsuite></testsuites>',
            id="a namespace",
        ),
        pytest.param(
            '<testsuite><testcase name="a"><system-out><![CDATA[<!DOCTYPE html>\x00\x1b]]>'
            "</system-out></testcase></testsuite>",
            id="what a test printed",
        ),
        pytest.param(
            '<testsuite><testcase name="a"><flakyFailure message="once"/></testcase></testsuite>',
            id="a second try that passed",
        ),
        pytest.param('<testsuite><testcase name="\u202ea\u200b"/></testsuite>', id="hidden marks"),
    ],
)
def test_a_report_is_read_in_spite_of(text: str) -> None:
    assert junit.parse_report(text) == PASSED


def test_a_suite_without_tests_is_an_empty_inventory() -> None:
    assert junit.parse_report('<testsuites><testsuite tests="0"/></testsuites>') == RunReport()


def test_outcomes_and_names_of_tests() -> None:
    text = """<testsuites><testsuite name="cart">
      <testcase name="x" classname="test"/>
      <testcase name="x" classname="test"><skipped/><failure/></testcase>
      <testcase name="x" classname="test"><error/><skipped/></testcase>
      <testcase name="y" classname="c" status="notrun"/>
      <testcase name="z" file="cart.js"><properties><skipped/></properties></testcase>
    </testsuite></testsuites>"""
    assert junit.parse_report(text) == RunReport(
        cases=(
            Case(id="cart::x", outcome="passed"),
            Case(id="cart::x #2", outcome="failed", text="failed"),
            Case(id="cart::x #3", outcome="failed", text="failed"),
            Case(id="c::y", outcome="skipped"),
            Case(id="cart::z", outcome="passed"),
        )
    )


@pytest.mark.parametrize(
    ("details", "expected"),
    [
        ("<failure/>", Diagnostic(path="cart.py", code="shop::a", text="failed")),
        (
            "<failure>Error: no\nlib.py:3: Error</failure>",
            Diagnostic(path="lib.py", line=3, code="shop::a", text="Error: no"),
        ),
        (
            snippet("""
                <error message='no
                price'>lib.py:3: in f
                cart.py:7: Error</error>"""),
            Diagnostic(path="cart.py", line=7, code="shop::a", text="no price"),
        ),
        (
            "<error message='collection failure'>nothing more</error>",
            Diagnostic(path="cart.py", code="shop::a", text="collection failure"),
        ),
        (
            f"<failure>{'x' * 30_000}\ncart.py:7: Error</failure>",
            Diagnostic(path="cart.py", code="shop::a", text="x" * 1_000),
        ),
        (
            "<failure message='a'/><failure message='b'/>",
            Diagnostic(path="cart.py", code="shop::a", text="a"),
        ),
    ],
)
def test_where_a_test_failed(details: str, expected: Diagnostic) -> None:
    case = f'<testcase name="a" classname="shop" file="cart.py">{details}</testcase>'
    assert list(junit.parse(f"<testsuite>{case}</testsuite>")) == [expected]


def sarif_log(result: Mapping[str, object], *rules: Mapping[str, object]) -> str:
    run = {"tool": {"driver": {"rules": rules}}, "results": [{"ruleId": "r", **result}]}
    return json.dumps({"version": "2.1.0", "runs": [run]})


def place(uri: str, line: int) -> Mapping[str, object]:
    location = {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}
    return {"locations": [{"physicalLocation": location}]}


@pytest.mark.parametrize(
    ("result", "rule", "severity"),
    [
        ({"level": "error"}, {}, "error"),
        ({"level": "note"}, {}, "info"),
        ({}, {}, "warning"),
        ({}, {"id": "r", "defaultConfiguration": {"level": "error"}}, "error"),
        ({"level": "note"}, {"id": "r", "defaultConfiguration": {"level": "error"}}, "info"),
        ({"level": "note"}, {"id": "r", "properties": {"tags": ["security"]}}, "security"),
        ({}, {"id": "r", "properties": {"security-severity": "9.8"}}, "security"),
        ({}, {"id": "other", "defaultConfiguration": {"level": "error"}}, "warning"),
    ],
)
def test_how_severe_a_result_is(
    result: Mapping[str, object], rule: Mapping[str, object], severity: Severity
) -> None:
    text = sarif_log(result, *filter(None, [rule]))
    expected = Diagnostic(path="", code="r", severity=severity, text="reported")
    assert list(sarif.parse(text)) == [expected]


@pytest.mark.parametrize(
    ("uri", "line", "expected"),
    [
        ("src/my%20cart.py", 7, ("src/my cart.py", 7)),
        ("file:///shop/cart.py", 7, ("/shop/cart.py", 7)),
        ("file:///C:/shop/cart.py", 7, ("C:/shop/cart.py", 7)),
        ("cart%1B%5B31m.py", 7, ("cart.py", 7)),
        ("cart.py", -1, ("cart.py", 0)),
        ("cart.py", 10**12, ("cart.py", 0)),
    ],
)
def test_where_a_result_is(uri: str, line: int, expected: tuple[str, int]) -> None:
    (found,) = sarif.parse(sarif_log(place(uri, line)))
    assert (found.path, found.line) == expected


@pytest.mark.parametrize(
    "result",
    [{"suppressions": [{"kind": "inSource"}]}, {"kind": "pass"}, {"kind": "notApplicable"}],
)
def test_what_is_no_complaint_is_no_finding(result: Mapping[str, object]) -> None:
    assert list(sarif.parse(sarif_log(result))) == []


def test_the_text_of_a_result_is_fit_to_be_shown() -> None:
    (found,) = sarif.parse(sarif_log({"message": {"text": "\n\x1b[31mno\u202e\nmore"}}))
    assert found.text == "no"


@pytest.mark.parametrize(
    "before", ["starting\n", "{\n", "{}\n" * 15], ids=["a line", "a brace", "other documents"]
)
@pytest.mark.parametrize("indent", [None, 2])
def test_a_log_is_found_among_lines(before: str, indent: int | None) -> None:
    log = json.dumps(json.loads(sarif_log({})), indent=indent)
    (found,) = sarif.parse(f"{before}{log}\ndone\n")
    assert found.code == "r"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"a": ' + "[" * 200_000 + "]" * 200_000 + ', "runs": []}', id="too deep"),
        pytest.param('{"runs": [{"tool": {"driver": {}}, "results": [3]}]}', id="another form"),
        pytest.param('{"runs": null}', id="no list"),
        pytest.param('{"runs": []}', id="no run"),
        pytest.param('{"runs": [{"tool": {"driver": {}}, "results": null}]}', id="no results"),
        pytest.param('{"runs": ["\ud800"]}', id="half a character"),
        pytest.param('{"runs": 1}\n' * 100, id="many documents"),
        pytest.param(sarif_log({}) + " " * sarif.LIMIT, id="too long"),
    ],
)
def test_what_is_no_log_has_no_findings(text: str) -> None:
    assert list(sarif.parse(text)) == []
