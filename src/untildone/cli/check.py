"""`untildone check`: run the checks now."""

from pathlib import Path
from typing import Literal

import click
from msgspec import Struct

from untildone.checks.runner import Running, run_checks
from untildone.cli.options import here, json_option, print_json, project_of, project_option
from untildone.cli.progress import watching
from untildone.errors import UserError
from untildone.judge.project import checks_of, only_untrusted
from untildone.loop.model import OUTCOMES, Check, CheckResult, Finding
from untildone.report.lines import counts

Whole = Literal["green", "red", "unrunnable"]
_SHOWN = 20


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


class Report(Struct, frozen=True, kw_only=True):
    """What `check --json` prints."""

    outcome: Whole
    checks: tuple[Checked, ...]
    findings: tuple[Finding, ...]


@click.command("check")
@click.argument("names", nargs=-1)
@project_option
@json_option
def command(names: tuple[str, ...], *, project: Path | None, as_json: bool) -> int:
    """Run the project's checks, all or the named ones: exit 0 green, 1 red, 17 unrunnable.

    \b
    untildone check
    untildone check test lint
    untildone check --json | jq .outcome
    """
    place = project_of(project)
    checks, untrusted = checks_of(here(), place)
    if untrusted and not checks:
        raise only_untrusted(place, untrusted)
    if untrusted:
        click.echo(untrusted, err=True)
    wanted = _wanted(checks, names, place)
    with watching(wanted) as progress:
        results = run_checks(wanted, Running(project=place), report=progress)
    report = _report(results)
    if as_json:
        print_json(report)
    else:
        _show(results)
    return {"green": 0, "red": 1, "unrunnable": OUTCOMES["unrunnable"].exit_code}[report.outcome]


def _wanted(checks: tuple[Check, ...], names: tuple[str, ...], place: Path) -> list[Check]:
    if not checks:
        raise UserError(
            f"no check was found in `{place}`",
            hint="name one in `untildone.toml`, then `untildone trust`:"
            ' `[checks.test]` with `command = "YOUR COMMAND"`',
        )
    known = {check.name: check for check in checks}
    unknown = ", ".join(f"`{name}`" for name in names if name not in known)
    if unknown:
        listed = ", ".join(f"`{name}`" for name in known)
        raise UserError(
            f"there is no check {unknown} here (there are: {listed})",
            hint="`untildone detect` tells where they come from",
        )
    return [known[name] for name in dict.fromkeys(names)] or list(checks)


def _report(results: tuple[CheckResult, ...]) -> Report:
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
    )


def _show(results: tuple[CheckResult, ...]) -> None:
    for result in results:
        click.echo(f"{result.name}: {counts(result)}  `{result.command}`")
        if result.reason:
            click.echo(f"  {result.reason}")
        for finding in result.findings[:_SHOWN]:
            code = f"{finding.code} " if finding.code else ""
            click.echo(f"  {finding.path}:{finding.line}: {code}{finding.text}")
        if len(result.findings) > _SHOWN:
            click.echo(f"  and {len(result.findings) - _SHOWN} more; `--json` prints all")
        if not result.green and not result.findings and result.output:
            click.echo("\n".join(f"  | {line}" for line in result.output.splitlines()[-15:]))
