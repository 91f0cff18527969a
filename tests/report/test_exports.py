"""SARIF and JUnit as others read them: written by us, read back by our own parsers."""

import json
import xml.etree.ElementTree as ElementTree

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from untildone.checks.parsers import sarif as sarif_parser
from untildone.core.check_results import CheckResult, Finding
from untildone.report.exports import build_sarif, render_junit

FINDING = Finding(
    check="lint",
    path="src/a.py",
    line=3,
    code="F401",
    severity="error",
    text="`os` imported but unused",
    fingerprint="0123456789abcdef",
)
RED = CheckResult(
    name="lint", command="ruff check", outcome="red", seconds=1.5, findings=(FINDING,), reason="1"
)
GREEN = CheckResult(name="test", command="pytest", outcome="green", seconds=0.5)


def test_sarif_is_read_back() -> None:
    (found,) = sarif_parser.parse(json.dumps(build_sarif((RED, GREEN))))

    assert (found.path, found.line, found.code, found.severity, found.text) == (
        *("src/a.py", 3, "F401", "error"),
        "`os` imported but unused",
    )


def test_a_finding_without_a_place_has_none_in_sarif() -> None:
    nowhere = Finding(
        check="c", path="", line=0, code="", severity="info", text="t", fingerprint="f"
    )
    result = CheckResult(name="c", command="c", outcome="red", findings=(nowhere,))
    (run,) = json.loads(json.dumps(build_sarif((result,))))["runs"]

    assert run["results"][0]["locations"] == []
    assert run["results"][0]["ruleId"] == "info"


def test_junit_has_a_case_per_check() -> None:
    suite = ElementTree.fromstring(render_junit((RED, GREEN)).encode())  # noqa: S314  our own text
    failure = suite.find("testcase/failure")

    assert suite.attrib == {
        **{"name": "untildone", "tests": "2", "failures": "1", "errors": "0", "skipped": "0"},
        "time": "2.000",
    }
    assert [case.get("name") for case in suite] == ["lint", "test"]
    assert failure is not None
    assert failure.text == "src/a.py:3: F401 `os` imported but unused"


def test_a_check_that_could_not_be_judged_is_an_error_in_junit() -> None:
    missing = replace(RED, outcome="unrunnable", reason="`ruff` was not found")
    suite = ElementTree.fromstring(render_junit((missing, RED)).encode())  # noqa: S314  our own text

    assert (suite.get("errors"), suite.get("failures")) == ("1", "1")
    assert [case[0].tag for case in suite] == ["error", "failure"]


def test_a_cut_list_says_so() -> None:
    cut = replace(RED, finding_count=248)
    (run,) = json.loads(json.dumps(build_sarif((cut,))))["runs"]
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]

    text = "the first 1 of 248 findings are listed"
    assert notification == {"level": "note", "message": {"text": text}}
    assert f"\n{text}</failure>" in render_junit((cut,))


@given(st.text(), st.text(), st.text())
def test_any_text_makes_sound_xml(name: str, reason: str, output: str) -> None:
    result = CheckResult(name=name, command="c", outcome="red", reason=reason, output=output)

    suite = ElementTree.fromstring(render_junit((result,)).encode("utf-8", "replace"))  # noqa: S314  our own text

    assert len(suite) == 1
