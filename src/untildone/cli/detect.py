"""`untildone detect`: the checks found here, with reasons."""

from collections.abc import Iterator
from pathlib import Path

import click
from msgspec import Struct

from untildone.cli.loops import open_context
from untildone.cli.options import find_project, json_option, print_report, project_option
from untildone.engine import project_checks
from untildone.errors import UserError


class DetectedCheck(Struct, frozen=True, kw_only=True):
    name: str
    command: str
    reason: str


class SkippedCommand(Struct, frozen=True, kw_only=True):
    command: str
    reason: str


class Detection(Struct, frozen=True, kw_only=True):
    """`left_out`: commands that the project also names, and why no check runs them."""

    checks: tuple[DetectedCheck, ...]
    left_out: tuple[SkippedCommand, ...] = ()


@click.command("detect")
@project_option
@json_option
def detect_command(project: Path | None, *, as_json: bool) -> None:
    """List the checks of this project, configured or detected, with reasons; nothing is run.

    It exits 2 if there is none, also with `--json`.

    \b
    untildone detect
    untildone detect --project ../api --json
    """
    context = open_context()
    folder = project_checks.find_configured_folder(find_project(project))
    checks, ignored = project_checks.list_checks(context, folder)
    detected = tuple(
        DetectedCheck(name=check.name, command=check.command, reason=check.reason)
        for check in checks
    )
    left_out = tuple(
        SkippedCommand(command=entry.command, reason=f"{entry.reason}, which {entry.harm}")
        for entry in project_checks.list_unused_candidates(context, folder)
    )
    if ignored and checks:
        click.echo(ignored, err=True)
    detection = Detection(checks=detected, left_out=left_out)
    print_report(detection, _format_checks(detection), as_json=as_json)
    if not checks and ignored:
        raise project_checks.make_untrusted_error(folder, ignored)
    if not checks:
        raise UserError(
            f"no check was found in `{folder}`",
            hint='name the command that decides: `untildone start --check "YOUR COMMAND"`',
        )


def _format_checks(detection: Detection) -> Iterator[str]:
    for check in detection.checks:
        yield f"{check.name}: `{check.command}`  ({check.reason})"
    for skipped in detection.left_out:
        yield f"left out: `{skipped.command}`  ({skipped.reason})"
