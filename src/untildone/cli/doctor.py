"""`untildone doctor`: what is wrong, and how to mend it."""

from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from untildone.app import open_context
from untildone.cli.options import json_option, print_json, project_option
from untildone.cli.place import place_of
from untildone.cli.project import find_project
from untildone.engine import health as ground
from untildone.install import health as installation
from untildone.install.installation import read_installation
from untildone.report.doctor import Diagnosis, Problem, build_diagnosis


@click.command("doctor")
@project_option
@json_option
def command(project: Path | None, *, as_json: bool) -> int:
    """Look for what keeps a loop from holding: exit 1 if something needs mending.

    \b
    untildone doctor
    untildone doctor --json | jq -r '.findings[].mend'
    """
    found = build_diagnosis(_diagnose(find_project(project)))
    if as_json:
        print_json(found)
    else:
        _print_diagnosis(found)
    return 0 if found.ok else 1


def _diagnose(project: Path) -> list[Problem]:
    found = open_context()
    machine = read_installation(place_of(found, project), found.environ)
    return [
        *(trouble for seek in installation.PROBES for trouble in seek(machine)),
        *(trouble for seek in ground.PROBES for trouble in seek(found, project)),
    ]


def _print_diagnosis(found: Diagnosis) -> None:
    console = Console(highlight=False)
    for trouble in found.findings:
        style = "bold red" if trouble.level == "error" else "bold"
        line = Text.assemble((f"{trouble.level}: {trouble.name}: ", style), trouble.text)
        console.print(line, soft_wrap=True)
        if trouble.mend:
            console.print(Text(f"  mend: {trouble.mend}", style="dim"), soft_wrap=True)
    errors = sum(trouble.level == "error" for trouble in found.findings)
    looked = len(installation.PROBES) + len(ground.PROBES)
    if errors:
        console.print(f"{errors} to mend")
    else:
        console.print(Text(f"{looked} things looked at, nothing needs mending", style="green"))
