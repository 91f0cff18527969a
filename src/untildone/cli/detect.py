"""`untildone detect`: the checks found here, with reasons."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import click
from msgspec import Struct

from untildone.cli.loops import open_context
from untildone.cli.options import find_project, json_option, print_report, project_option
from untildone.core.contract import Check
from untildone.core.time_limits import describe_time_limit, find_time_limit
from untildone.engine import project_checks
from untildone.engine.check_run import open_result_cache
from untildone.engine.context import Context, project_folder
from untildone.errors import UserError


class DetectedCheck(Struct, frozen=True, kw_only=True):
    name: str
    command: str
    reason: str
    # Seconds after which it is ended.
    time_limit: float


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
    if ignored and checks:
        click.echo(ignored, err=True)
    detection = Detection(
        checks=tuple(_describe_checks(context, folder, checks)),
        left_out=tuple(_list_left_out(context, folder)),
    )
    print_report(detection, _format_checks(detection), as_json=as_json)
    if not checks and ignored:
        raise project_checks.make_untrusted_error(folder, ignored)
    if not checks:
        raise UserError(
            f"no check was found in `{folder}`",
            hint='name the command that decides: `untildone start --check "YOUR COMMAND"`',
        )


def _describe_checks(
    context: Context, folder: Path, checks: Iterable[Check]
) -> Iterator[DetectedCheck]:
    history = open_result_cache(project_folder(context.home, folder))
    for check in checks:
        yield DetectedCheck(
            name=check.name,
            command=check.command,
            reason=check.reason,
            time_limit=find_time_limit(check.timeout, history.load_past_runs(check)),
        )


def _list_left_out(context: Context, folder: Path) -> Iterator[SkippedCommand]:
    for candidate in project_checks.list_unused_candidates(context, folder):
        reason = f"{candidate.reason}, which {candidate.harm}"
        yield SkippedCommand(command=candidate.command, reason=reason)
    for skipped in project_checks.list_skipped_checks(context, folder):
        yield SkippedCommand(command=skipped.name, reason=skipped.reason)


def _format_checks(detection: Detection) -> Iterator[str]:
    for check in detection.checks:
        notes = filter(None, (check.reason, describe_time_limit(check.time_limit)))
        yield f"{check.name}: `{check.command}`  ({'; '.join(notes)})"
    for skipped in detection.left_out:
        yield f"left out: `{skipped.command}`  ({skipped.reason})"
