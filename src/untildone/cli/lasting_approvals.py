"""`untildone trust --list` and `--forget`: what the user approved for good in a project."""

from pathlib import Path

import click
from msgspec import Struct

from untildone.cli.authority import require_user_of_machine
from untildone.cli.options import print_report
from untildone.config.proposals import load_proposals
from untildone.engine.context import Context, project_folder
from untildone.engine.project_checks import find_configured_folder
from untildone.errors import UserError
from untildone.features.importers.trusted_projects import is_trusted_project
from untildone.report.times import format_time
from untildone.store.lasting_approvals import LastingApproval, list_approvals, remove_approval
from untildone.store.trusted_files import read_trusted_hash


class TrustReport(Struct, frozen=True, kw_only=True):
    """What `trust --list --json` prints."""

    project: str
    # Configuration files whose current content is trusted.
    files: tuple[str, ...]
    # Whether loop files of other tools are obeyed.
    dialects: bool
    approvals: tuple[LastingApproval, ...]


def list_trust(context: Context, project: Path, *, as_json: bool) -> int:
    """Print what is trusted in the project, and what is approved for good."""
    files = load_proposals(find_configured_folder(project))
    report = TrustReport(
        project=str(project),
        files=tuple(
            str(file.path)
            for file in files
            if read_trusted_hash(context.home, file.path) == file.sha256
        ),
        dialects=is_trusted_project(str(context.home), str(project)),
        approvals=list_approvals(project_folder(context.home, project)),
    )
    print_report(report, _describe_trust(report), as_json=as_json)
    return 0


def _describe_trust(report: TrustReport) -> list[str]:
    lines = [f"trusted: {path}" for path in report.files]
    lines += ["trusted: loop files of other tools"] if report.dialects else []
    lines += [
        f"{number}. always approved: {each.what} (since {format_time(each.at)}, loop {each.loop})"
        for number, each in enumerate(report.approvals, 1)
    ]
    if report.approvals:
        lines.append("`untildone trust --forget 1` takes the first one back")
    return lines or ["nothing is trusted here, and nothing is approved for good"]


def forget_approval(context: Context, project: Path, word: str) -> int:
    """Take back an approval that is named by its number in the list, or as it is listed."""
    require_user_of_machine(context, "trust")
    folder = project_folder(context.home, project)
    named = {str(number): each.what for number, each in enumerate(list_approvals(folder), 1)}
    what = named.get(word, word)
    if what not in named.values():
        raise UserError(
            f"`{word}` is not approved for good in `{project}`",
            hint="`untildone trust --list` shows what is",
        )
    remove_approval(folder, what)
    click.echo(f"no longer approved: {what}; loops that run already keep it")
    return 0
