"""`untildone doctor`: what is wrong, and how to fix it."""

from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from untildone.app import open_context
from untildone.cli.options import find_project, json_option, print_json, project_option
from untildone.core.text import pluralize
from untildone.engine import loop_problems
from untildone.install import health as install_health
from untildone.install.claude import find_install_paths
from untildone.install.installation import read_installation
from untildone.report.doctor import Diagnosis, Problem, build_diagnosis


@click.command("doctor")
@project_option
@json_option
def doctor_command(project: Path | None, *, as_json: bool) -> int:
    """Look for problems that keep a loop from holding: exit 1 if something needs fixing.

    \b
    untildone doctor
    untildone doctor --json | jq -r '.findings[].mend'
    """
    diagnosis = build_diagnosis(_diagnose(find_project(project)))
    if as_json:
        print_json(diagnosis)
    else:
        _print_diagnosis(diagnosis)
    return 0 if diagnosis.ok else 1


def _diagnose(project: Path) -> Iterator[Problem]:
    context = open_context()
    installation = read_installation(find_install_paths(context, project), context.environ)
    for probe in install_health.PROBES:
        yield from probe(installation)
    for probe_loops in loop_problems.PROBES:
        yield from probe_loops(context, project)


def _print_diagnosis(diagnosis: Diagnosis) -> None:
    console = Console(highlight=False)
    for problem in diagnosis.findings:
        style = "bold red" if problem.level == "error" else "bold"
        line = Text.assemble((f"{problem.level}: {problem.name}: ", style), problem.text)
        console.print(line, soft_wrap=True)
        if problem.fix:
            console.print(Text(f"  fix: {problem.fix}", style="dim"), soft_wrap=True)
    errors = sum(problem.level == "error" for problem in diagnosis.findings)
    probes = len(install_health.PROBES) + len(loop_problems.PROBES)
    if errors:
        console.print(f"{pluralize(errors, 'problem')} to fix")
    else:
        console.print(Text(f"checked {probes} things, nothing needs fixing", style="green"))
