"""`untildone doctor`: what is wrong, and how to mend it."""

from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from untildone.app import open_context
from untildone.cli.options import json_option, print_json, project_of, project_option
from untildone.cli.place import place_of
from untildone.engine import health as ground
from untildone.install import health as installation
from untildone.install.machine import look
from untildone.report.doctor import Diagnosis, Trouble, diagnosis


@click.command("doctor")
@project_option
@json_option
def command(project: Path | None, *, as_json: bool) -> int:
    """Look for what keeps a loop from holding: exit 1 if something needs mending.

    \b
    untildone doctor
    untildone doctor --json | jq -r '.findings[].mend'
    """
    found = diagnosis(_troubles(project_of(project)))
    if as_json:
        print_json(found)
    else:
        _show(found)
    return 0 if found.ok else 1


def _troubles(project: Path) -> list[Trouble]:
    found = open_context()
    machine = look(place_of(found, project), found.environ)
    return [
        *(trouble for seek in installation.LOOKS for trouble in seek(machine)),
        *(trouble for seek in ground.LOOKS for trouble in seek(found, project)),
    ]


def _show(found: Diagnosis) -> None:
    console = Console(highlight=False)
    for trouble in found.findings:
        style = "bold red" if trouble.level == "error" else "bold"
        line = Text.assemble((f"{trouble.level}: {trouble.name}: ", style), trouble.text)
        console.print(line, soft_wrap=True)
        if trouble.mend:
            console.print(Text(f"  mend: {trouble.mend}", style="dim"), soft_wrap=True)
    errors = sum(trouble.level == "error" for trouble in found.findings)
    looked = len(installation.LOOKS) + len(ground.LOOKS)
    if errors:
        console.print(f"{errors} to mend")
    else:
        console.print(Text(f"{looked} things looked at, nothing needs mending", style="green"))
