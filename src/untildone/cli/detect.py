"""`untildone detect`: the checks found here, with reasons."""

from pathlib import Path

import click
from msgspec import Struct

from untildone.cli.loops import open_context
from untildone.cli.options import json_option, print_json, project_option
from untildone.cli.project import find_project
from untildone.engine.project_checks import (
    find_configured_folder,
    list_checks,
    list_unused_candidates,
    make_untrusted_error,
)
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
def command(project: Path | None, *, as_json: bool) -> None:
    """List the checks of this project, configured or detected, with reasons; nothing is run.

    Exits 2 if there is none, also with `--json`.

    \b
    untildone detect
    untildone detect --project ../api --json
    """
    folder = find_configured_folder(find_project(project))
    checks, ignored = list_checks(open_context(), folder)
    found = tuple(
        DetectedCheck(name=check.name, command=check.command, reason=check.reason)
        for check in checks
    )
    left_out = tuple(
        SkippedCommand(command=entry.command, reason=f"{entry.reason}, which {entry.harm}")
        for entry in list_unused_candidates(open_context(), folder)
    )
    if ignored and found:
        click.echo(ignored, err=True)
    if as_json:
        print_json(Detection(checks=found, left_out=left_out))
    else:
        _print_checks(found, left_out)
    if not found and ignored:
        raise make_untrusted_error(folder, ignored)
    if not found:
        raise UserError(
            f"no check was found in `{folder}`",
            hint='name the command that decides: `untildone start --check "YOUR COMMAND"`',
        )


def _print_checks(found: tuple[DetectedCheck, ...], left_out: tuple[SkippedCommand, ...]) -> None:
    for check in found:
        click.echo(f"{check.name}: `{check.command}`  ({check.reason})")
    for entry in left_out:
        click.echo(f"left out: `{entry.command}`  ({entry.reason})")
