"""What checks came to: as JSON, as a table, and finding by finding with the line of code."""

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from untildone.loop.model import CheckResult, Finding
from untildone.report.lines import counts

Whole: TypeAlias = Literal["green", "red", "unrunnable"]
_STYLES = {"green": "green", "red": "red"}
_SEVERITIES = {"error": "red", "security": "magenta", "warning": "yellow", "info": "cyan"}
_SHOWN = 40
_LARGEST_SOURCE = 1_000_000


class Counted(Struct, frozen=True, kw_only=True):
    passed: int
    failed: int
    skipped: int


class Checked(Struct, frozen=True, kw_only=True):
    name: str
    command: str
    outcome: str
    exit_code: int | None
    cached: bool
    seconds: float
    findings: int
    tests: Counted | None
    reason: str = ""


class Report(Struct, frozen=True, kw_only=True):
    """What `check --json` prints."""

    outcome: Whole
    checks: tuple[Checked, ...]
    findings: tuple[Finding, ...]


def report(results: tuple[CheckResult, ...]) -> Report:
    outcomes = {result.outcome for result in results}
    whole: Whole = "green" if outcomes == {"green"} else "red"
    if "unrunnable" in outcomes:
        whole = "unrunnable"
    return Report(
        outcome=whole,
        checks=tuple(_checked(result) for result in results),
        findings=tuple(finding for result in results for finding in result.findings),
    )


def _checked(result: CheckResult) -> Checked:
    tests = result.tests
    counted = (
        Counted(passed=tests.passed, failed=tests.failed, skipped=tests.skipped) if tests else None
    )
    return Checked(
        name=result.name,
        command=result.command,
        outcome=result.outcome,
        exit_code=result.exit_code,
        cached=result.cached,
        seconds=round(result.seconds, 3),
        findings=len(result.findings),
        tests=counted,
        reason=result.reason,
    )


def show(console: Console, results: tuple[CheckResult, ...], project: Path) -> None:
    """Findings first, the table last: what matters stands where the eye rests."""
    for result in results:
        details = list(_details(result, project))
        if details:
            console.print(Text(f"{result.name}  {result.command}", style="bold"))
            console.print(Group(*details))
            console.print()
    console.print(table(results))


def table(results: tuple[CheckResult, ...]) -> Table:
    found = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("check", "result", "", "time", ""):
        found.add_column(title, justify="right" if title == "time" else "left")
    for result in results:
        outcome, _, rest = counts(result).partition(", ")
        found.add_row(
            Text(result.name),
            Text(outcome, style=_STYLES.get(result.outcome, "yellow")),
            Text(", ".join(filter(None, (rest, result.reason)))),
            Text(f"{result.seconds:.1f} s"),
            Text("as before" if result.cached else "", style="dim"),
        )
    return found


def _details(result: CheckResult, project: Path) -> Iterable[RenderableType]:
    ordered = sorted(result.findings, key=lambda finding: (finding.path, finding.line))
    for path, group in groupby(ordered[:_SHOWN], key=lambda finding: finding.path):
        yield Text(f"  {path or '(no file)'}", style="underline")
        source = _source(project / path) if path else []
        for finding in group:
            yield from _finding(finding, source)
    if len(ordered) > _SHOWN:
        yield Text(f"  and {len(ordered) - _SHOWN} more; `--json` prints all", style="dim")
    if not result.green and not ordered and result.output:
        yield from (Text(f"  | {line}") for line in result.output.splitlines()[-15:])


def _finding(finding: Finding, source: list[str]) -> Iterable[Text]:
    line = Text(f"  {finding.line:>5}  ")
    line.append(finding.code or finding.severity, style=_SEVERITIES[finding.severity])
    line.append(f"  {finding.text}")
    yield line
    if 0 < finding.line <= len(source):
        yield Text(f"         {source[finding.line - 1].strip()[:110]}", style="dim")


def _source(path: Path) -> list[str]:
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST_SOURCE:
            return []
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except (OSError, ValueError):
        return []
