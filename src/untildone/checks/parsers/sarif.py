"""SARIF, the report format of many linters and scanners: one JSON document."""

import re
from collections.abc import Iterator

import msgspec
from msgspec import Struct, field

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import find_documents, limit_line, shorten_to_line
from untildone.core.check_results import Severity
from untildone.core.late_patterns import compile_late

PROGRAMS = ()
LIMIT = 100_000_000

_ESCAPED = compile_late(r"(?:%[0-9A-Fa-f]{2})+")
_SEVERITY: dict[str, Severity] = {"error": "error", "warning": "warning"}
_NO_FINDING = frozenset({"pass", "notApplicable", "informational"})


class _Text(Struct):
    text: str = ""


class _Region(Struct, rename="camel"):
    start_line: int = 0


class _Artifact(Struct):
    uri: str = ""


class _PhysicalLocation(Struct, rename="camel"):
    artifact_location: _Artifact = field(default_factory=_Artifact)
    region: _Region = field(default_factory=_Region)


class _Location(Struct, rename="camel"):
    physical_location: _PhysicalLocation = field(default_factory=_PhysicalLocation)


class _Configuration(Struct):
    level: str = ""


class _Properties(Struct):
    tags: tuple[str, ...] = ()
    security: object = field(name="security-severity", default=None)


class _Rule(Struct, rename="camel"):
    id: str
    default_configuration: _Configuration = field(default_factory=_Configuration)
    properties: _Properties = field(default_factory=_Properties)


class _Result(Struct, rename="camel"):
    message: _Text = field(default_factory=_Text)
    rule_id: str = ""
    level: str = ""
    kind: str = "fail"
    locations: list[_Location] | None = None
    suppressions: list[msgspec.Raw] | None = None


class _Driver(Struct):
    rules: list[_Rule] | None = None


class _Tool(Struct):
    driver: _Driver


class _Run(Struct):
    tool: _Tool
    results: list[_Result] | None = None


class _Log(Struct):
    runs: list[_Run]


def parse(output: str) -> Iterator[Diagnostic]:
    log = _read_log(output)
    for run in log.runs if log else ():
        rules = {rule.id: rule for rule in run.tool.driver.rules or ()}
        for result in run.results or ():
            if not result.suppressions and result.kind not in _NO_FINDING:
                yield _convert_result(result, rules.get(result.rule_id))


def _read_log(output: str) -> _Log | None:
    if '"runs"' not in output or len(output) > LIMIT:
        return None
    for document in find_documents(output, "{}"):
        try:
            return msgspec.json.decode(document, type=_Log)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            continue
    return None


def _convert_result(result: _Result, rule: _Rule | None) -> Diagnostic:
    location = result.locations[0].physical_location if result.locations else _PhysicalLocation()
    return Diagnostic(
        path=_decode_uri(location.artifact_location.uri),
        line=limit_line(location.region.start_line),
        code=shorten_to_line(result.rule_id),
        severity=_rate_severity(result, rule),
        text=shorten_to_line(result.message.text) or "reported",
    )


def _rate_severity(result: _Result, rule: _Rule | None) -> Severity:
    if rule and (rule.properties.security is not None or "security" in rule.properties.tags):
        return "security"
    level = result.level or (rule.default_configuration.level if rule else "") or "warning"
    return _SEVERITY.get(level, "info")


def _decode_uri(uri: str) -> str:
    # file:///C:/shop/my%20cart.py
    path = re.sub(r"^file://(?:/(?=[A-Za-z]:/))?", "", uri)
    return shorten_to_line(_ESCAPED.sub(_unescape, path))


def _unescape(match: re.Match[str]) -> str:
    return bytes.fromhex(match[0].replace("%", "")).decode("utf-8", "replace")
