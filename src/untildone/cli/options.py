"""Options and output that many commands share."""

import json
from collections.abc import Iterable
from pathlib import Path

import click
import msgspec

from untildone.errors import UserError

ANY_PATH = click.Path(path_type=Path)
FILE = click.Path(dir_okay=False, path_type=Path)
EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)

project_option = click.option(
    "--project", metavar="DIR", type=FOLDER, help="The project, if not the current one."
)
loop_argument = click.argument("loop", required=False)
loop_option = click.option("--loop", metavar="ID", help="The loop, if not this session's.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def get_current_folder() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise UserError(
            "the current folder no longer exists", hint="`cd` elsewhere, or give `--project DIR`"
        ) from None


def find_project(project: Path | None) -> Path:
    """Return the value of `--project`, else the top of the current worktree."""
    if project:
        return project.resolve()
    # Imported here because `plan next`, which is called often, does not need it.
    from untildone.worktree.listing import find_worktree_root

    current = get_current_folder()
    return find_worktree_root(current) or current


def print_json(value: object) -> None:
    """Print JSON in ASCII, valid whatever the terminal's encoding and a path's bytes are."""
    click.echo(json.dumps(msgspec.to_builtins(value), indent=2))


def print_report(report: object, lines: Iterable[str], *, as_json: bool) -> None:
    """Print the report as JSON, or as these lines."""
    if as_json:
        print_json(report)
    elif text := "\n".join(lines):
        click.echo(text)
