"""SARIF, the report format of many linters and scanners: one JSON document."""

import re
from collections.abc import Iterator

import msgspec
from msgspec import Struct, field

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import documents, first_line, line_number
from untildone.core.check_results import Severity

PROGRAMS = ()
LIMIT = 100_000_000

_ESCAPED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_SEVERITY: dict[str, Severity] = {"error": "error", "warning": "warning"}
_NO_COMPLAINT = frozenset({"pass", "notApplicable", "informational"})


class _Text(Struct):
    text: str = ""


class _Region(Struct, rename="camel"):
    start_line: int = 0


class _Artifact(Struct):
    uri: str = ""


class _Place(Struct, rename="camel"):
    artifact_location: _Artifact = field(default_factory=_Artifact)
    region: _Region = field(default_factory=_Region)


class _Location(Struct, rename="camel"):
    physical_location: _Place = field(default_factory=_Place)


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
    log = _log(output)
    for run in log.runs if log else ():
        rules = {rule.id: rule for rule in run.tool.driver.rules or ()}
        for result in run.results or ():
            if not result.suppressions and result.kind not in _NO_COMPLAINT:
                yield _diagnostic(result, rules.get(result.rule_id))


def _log(output: str) -> _Log | None:
    if '"runs"' not in output or len(output) > LIMIT:
        return None
    for document in documents(output, "{}"):
        try:
            return msgspec.json.decode(document, type=_Log)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            continue
    return None


def _diagnostic(result: _Result, rule: _Rule | None) -> Diagnostic:
    place = result.locations[0].physical_location if result.locations else _Place()
    return Diagnostic(
        path=_path(place.artifact_location.uri),
        line=line_number(place.region.start_line),
        code=first_line(result.rule_id),
        severity=_severity(result, rule),
        text=first_line(result.message.text) or "reported",
    )


def _severity(result: _Result, rule: _Rule | None) -> Severity:
    if rule and (rule.properties.security is not None or "security" in rule.properties.tags):
        return "security"
    level = result.level or (rule.default_configuration.level if rule else "") or "warning"
    return _SEVERITY.get(level, "info")


def _path(uri: str) -> str:
    # file:///C:/shop/my%20cart.py
    path = re.sub(r"^file://(?:/(?=[A-Za-z]:/))?", "", uri)
    return first_line(_ESCAPED.sub(_unescaped, path))


def _unescaped(match: re.Match[str]) -> str:
    return bytes.fromhex(match[0].replace("%", "")).decode("utf-8", "replace")


def tests(output: str) -> None:  # noqa: ARG001 - it reports findings, not tests
    return None
