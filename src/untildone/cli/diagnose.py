"""`untildone diagnose`: the detached process that keeps a project's language servers warm."""

from pathlib import Path

import click

from untildone.cli.loops import open_context
from untildone.features.edits.server_process import IDLE_SECONDS, keep_warm


@click.command("diagnose", hidden=True)
@click.argument("project", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--idle", type=float, default=IDLE_SECONDS, metavar="SECONDS")
def command(project: Path, files: tuple[Path, ...], idle: float) -> None:
    keep_warm(open_context(), project, files, idle=idle)
