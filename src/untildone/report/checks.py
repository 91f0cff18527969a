"""Check results as JSON, as a table, and as findings with their line of code."""

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct, convert
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from untildone.core.check_results import CheckResult, Finding
from untildone.core.failure_list import find_extra_reason, summarize_result

Overall: TypeAlias = Literal["green", "red", "unrunnable"]
_STYLES = {"green": "green", "red": "red"}
_SEVERITIES = {"error": "red", "security": "magenta", "warning": "yellow", "info": "cyan"}
_SIGNS = {"green": "\u2713", "red": "\u2717"}
_SHOWN = 40
_MARGIN = 7
_LONGEST_CODE = 110
_LARGEST_SOURCE = 1_000_000


class TestCounts(Struct, frozen=True, kw_only=True):
    passed: int
    failed: int
    skipped: int
    failing: tuple[str, ...]


class CheckSummary(Struct, frozen=True, kw_only=True):
    name: str
    command: str
    outcome: str
    exit_code: int | None
    cached: bool
    seconds: float
    findings: int
    tests: TestCounts | None
    reason: str = ""


class CheckReport(Struct, frozen=True, kw_only=True):
    """What `check --json` prints."""

    outcome: Overall
    checks: tuple[CheckSummary, ...]
    findings: tuple[Finding, ...]


def build_report(results: tuple[CheckResult, ...]) -> CheckReport:
    outcomes = {result.outcome for result in results}
    overall: Overall = "green" if outcomes == {"green"} else "red"
    if "unrunnable" in outcomes:
        overall = "unrunnable"
    return CheckReport(
        outcome=overall,
        checks=tuple(_summarize(result) for result in results),
        findings=tuple(finding for result in results for finding in result.findings),
    )


def _summarize(result: CheckResult) -> CheckSummary:
    return CheckSummary(
        name=result.name,
        command=result.command,
        outcome=result.outcome,
        exit_code=result.exit_code,
        cached=result.cached,
        seconds=round(result.seconds, 3),
        findings=len(result.findings),
        tests=convert(result.tests, TestCounts | None, from_attributes=True),
        reason=result.reason,
    )


def print_results(console: Console, results: tuple[CheckResult, ...], project: Path) -> None:
    """Print the findings first and the table last, where the reader looks first."""
    for result in results:
        details = list(_render_findings(result, project))
        if details:
            console.print(Text.assemble((result.name, "bold"), f"  {result.command}"))
            console.print(Group(*details))
            console.print()
    console.print(build_table(results, signs=console.encoding.startswith("utf")))


def build_table(results: tuple[CheckResult, ...], *, signs: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for title in ("check", "result", "", "time", ""):
        table.add_column(title, justify="right" if title == "time" else "left")
    for result in results:
        outcome, _, counted = summarize_result(result).partition(", ")
        style = _STYLES.get(result.outcome, "yellow")
        table.add_row(
            Text(result.name),
            Text(f"{_SIGNS.get(result.outcome, '!')} {outcome}" if signs else outcome, style=style),
            Text(", ".join(filter(None, _describe_result(counted, result)))),
            Text(f"{result.seconds:.1f} s", no_wrap=True),
            Text("as before" if result.cached else "", style="dim"),
        )
    return table


def _describe_result(counted: str, result: CheckResult) -> tuple[str, str]:
    """Return counts and reason, without saying the same thing twice."""
    tests = result.tests
    if tests and not tests.executed:
        return "", result.reason
    return counted, find_extra_reason(result)


def _render_findings(result: CheckResult, project: Path) -> Iterable[RenderableType]:
    ordered = sorted(result.findings, key=lambda finding: (finding.path, finding.line))
    for path, group in groupby(ordered[:_SHOWN], key=lambda finding: finding.path):
        yield Text(f"  {path or '(no file)'}", style="underline")
        source = _read_source(project / path) if path else []
        yield _build_grid(row for finding in group for row in _render_finding(finding, source))
    if len(ordered) > _SHOWN:
        yield Text(f"  and {len(ordered) - _SHOWN} more; `--json` prints all", style="dim")
    if not result.green and not ordered and result.output:
        yield _build_grid(
            ("|", Text(line.expandtabs())) for line in result.output.splitlines()[-15:]
        )


def _build_grid(rows: Iterable[tuple[str, Text]]) -> Table:
    """Return a grid in which long text wraps under its beginning, not under the line number."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(justify="right", min_width=_MARGIN, no_wrap=True)
    grid.add_column(overflow="fold")
    for number, text in rows:
        grid.add_row(number, text)
    return grid


def _render_finding(finding: Finding, source: list[str]) -> Iterable[tuple[str, Text]]:
    number = str(finding.line or "")
    code = finding.code or finding.severity
    yield number, Text.assemble((code, _SEVERITIES[finding.severity]), f"  {finding.text}")
    if 0 < finding.line <= len(source):
        yield "", _render_code(source[finding.line - 1])


def _render_code(line: str) -> Text:
    """Return one line of source, cut to the terminal, with control characters replaced."""
    line = line.expandtabs(4).strip()
    code = "".join(char if char.isprintable() else "\ufffd" for char in line)
    return Text(code[:_LONGEST_CODE], style="dim", no_wrap=True, overflow="ellipsis")


def _read_source(path: Path) -> list[str]:
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST_SOURCE:
            return []
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except (OSError, ValueError):
        return []
