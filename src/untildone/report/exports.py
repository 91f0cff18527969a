"""Check results for other programs: JUnit XML with one test case per check, and SARIF 2.1.0."""

from xml.sax.saxutils import escape, quoteattr

from untildone import __version__
from untildone.core.check_results import CheckResult, Finding
from untildone.core.late_patterns import compile_late

# Characters that no XML 1.0 document may contain, not even escaped.
_FORBIDDEN = compile_late("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LEVELS = {"error": "error", "security": "error", "warning": "warning", "info": "note"}


def render_junit(results: tuple[CheckResult, ...]) -> str:
    # Jenkins requires `errors`: checks that could not be judged, as opposed to red ones.
    errors = sum(_is_error(result) for result in results)
    failures = sum(not result.green for result in results) - errors
    seconds = sum(result.seconds for result in results)
    cases = "".join(_render_case(result) for result in results)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<testsuite name="untildone" tests="{len(results)}" failures="{failures}"'
        f' errors="{errors}" skipped="0"'
        f' time="{seconds:.3f}">\n{cases}</testsuite>\n'
    )


def _render_case(result: CheckResult) -> str:
    name = f'  <testcase name={quoteattr(_replace_forbidden(result.name))} classname="untildone"'
    head = f'{name} time="{result.seconds:.3f}"'
    if result.green:
        return f"{head}/>\n"
    message = quoteattr(_replace_forbidden(result.reason or result.outcome))
    findings = [f"{item.path}:{item.line}: {item.code} {item.text}" for item in result.findings]
    findings += _explain_cut(result)
    body = escape(_replace_forbidden("\n".join(findings) or result.output))
    tag = "error" if _is_error(result) else "failure"
    element = f'<{tag} type="{result.outcome}" message={message}>{body}</{tag}>'
    return f"{head}>\n    {element}\n  </testcase>\n"


def _is_error(result: CheckResult) -> bool:
    return result.outcome in ("unrunnable", "timed-out", "no-evidence")


def _explain_cut(result: CheckResult) -> list[str]:
    """Say how many findings there were, where only the first of them are kept."""
    shown, count = len(result.findings), result.finding_count
    return [f"the first {shown} of {count} findings are listed"] if count > shown else []


def _replace_forbidden(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)


def build_sarif(results: tuple[CheckResult, ...]) -> dict[str, object]:
    """Return a SARIF log with one run per check, so that each keeps its tool's name."""
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": f"untildone {result.name}", "version": __version__}},
                "invocations": [_build_invocation(result)],
                "results": [_build_result(finding) for finding in result.findings],
            }
            for result in results
        ],
    }


def _build_invocation(result: CheckResult) -> dict[str, object]:
    notes = [{"level": "note", "message": {"text": text}} for text in _explain_cut(result)]
    return {
        "executionSuccessful": result.outcome in ("green", "red", "flaky"),
        **({"toolExecutionNotifications": notes} if notes else {}),
    }


def _build_result(finding: Finding) -> dict[str, object]:
    location: dict[str, object] = {"artifactLocation": {"uri": finding.path}}
    if finding.line:
        location["region"] = {"startLine": finding.line}
    return {
        "ruleId": finding.code or finding.severity,
        "level": _LEVELS[finding.severity],
        "message": {"text": finding.text},
        "locations": [{"physicalLocation": location}] if finding.path else [],
        "partialFingerprints": {"untildone/v1": finding.fingerprint},
    }
