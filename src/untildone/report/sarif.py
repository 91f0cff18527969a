"""Findings as SARIF 2.1.0, for code hosts that show it."""

from untildone import __version__
from untildone.core.check_results import CheckResult, Finding

_LEVELS = {"error": "error", "security": "error", "warning": "warning", "info": "note"}


def build_sarif(results: tuple[CheckResult, ...]) -> dict[str, object]:
    """One run per check, so that each keeps its tool's name."""
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [_build_run(result) for result in results],
    }


def _build_run(result: CheckResult) -> dict[str, object]:
    return {
        "tool": {"driver": {"name": f"untildone {result.name}", "version": __version__}},
        "invocations": [{"executionSuccessful": result.outcome in ("green", "red", "flaky")}],
        "results": [_build_result(finding) for finding in result.findings],
    }


def _build_result(finding: Finding) -> dict[str, object]:
    place: dict[str, object] = {"artifactLocation": {"uri": finding.path}}
    if finding.line:
        place["region"] = {"startLine": finding.line}
    return {
        "ruleId": finding.code or finding.severity,
        "level": _LEVELS[finding.severity],
        "message": {"text": finding.text},
        "locations": [{"physicalLocation": place}] if finding.path else [],
        "partialFingerprints": {"untildone/v1": finding.fingerprint},
    }
