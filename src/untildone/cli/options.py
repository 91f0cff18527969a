"""Options that many commands take, and how each command prints JSON."""

import json
from pathlib import Path

import click
import msgspec

project_option = click.option(
    "--project",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The project, if not the current one.",
)
loop_argument = click.argument("loop", required=False)
loop_option = click.option("--loop", metavar="ID", help="The loop, if not this session's.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def print_json(value: object) -> None:
    """JSON in ASCII, which is valid whatever the terminal's encoding and a path's bytes are."""
    click.echo(json.dumps(msgspec.to_builtins(value), indent=2))
