"""`untildone doctor`: what is wrong, and how to fix it."""

from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from untildone.agents import NAMES
from untildone.app import open_context
from untildone.cli.options import find_project, json_option, print_json, project_option
from untildone.core.text import pluralize
from untildone.engine import loop_problems
from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.install import health as install_health
from untildone.install import manifest
from untildone.install.client_files import find_install_paths
from untildone.install.installation import Installation, read_installation
from untildone.report.doctor import Diagnosis, Problem, build_diagnosis

_MARKS = {"ok": "✓", "note": "!", "error": "✗"}
_STYLES = {"ok": "green", "note": "", "error": "red"}


@click.command("doctor")
@project_option
@json_option
def doctor_command(project: Path | None, *, as_json: bool) -> int:
    """Look for problems that keep a loop from holding: exit 1 if something needs fixing.

    \b
    untildone doctor
    untildone doctor --json | jq -r '.findings[].mend'
    """
    diagnosis = _diagnose(find_project(project))
    if as_json:
        print_json(diagnosis)
    else:
        _print_diagnosis(diagnosis)
    return 0 if diagnosis.ok else 1


def _diagnose(project: Path) -> Diagnosis:
    context = open_context()
    installations = _read_installations(context, project)
    problems: dict[str, list[Problem]] = {}
    for installation in installations:
        for name, probe in install_health.list_probes(installation.paths.agent).items():
            known = problems.setdefault(name, [])
            # What is wrong with untildone itself is wrong for every agent.
            known += [problem for problem in probe(installation) if problem not in known]
    for name, probe_loops in loop_problems.PROBES.items():
        problems[name] = [*probe_loops(context, project)]
    files = [file for installation in installations for file in installation.files]
    hooked = [file for installation in installations for file in installation.hooked]
    places = {
        "settings files": ", ".join(str(file.path) for file in files) or "there are none",
        "installed hooks": ", ".join(str(file.path) for file in hooked),
        "state folder": str(context.home),
        "trust of the configuration": str(project),
    }
    return build_diagnosis(problems, places)


def _read_installations(context: Context, project: Path) -> list[Installation]:
    """Return the installation for each client that has our hooks, or should have them."""
    places = [
        read_installation(find_install_paths(context, project, agent=name), context.environ)
        for name in NAMES
    ]
    try:
        recorded = {file.agent for file in manifest.read(context.home)}
    except (UserError, OSError):
        # A probe reports it.
        recorded = set()
    found = [
        place for place in places if place.hooked or place.plugin or place.paths.agent in recorded
    ]
    return found or places[:1]


def _print_diagnosis(diagnosis: Diagnosis) -> None:
    console = Console(highlight=False)
    for problem in diagnosis.findings:
        style = "bold red" if problem.level == "error" else "bold"
        line = Text.assemble((f"{problem.level}: {problem.name}: ", style), problem.text)
        console.print(line, soft_wrap=True)
        if problem.fix:
            console.print(Text(f"  fix: {problem.fix}", style="dim"), soft_wrap=True)
    console.print("looked at:")
    for looked_at in diagnosis.looked_at:
        place = f": {looked_at.at}" if looked_at.at else ""
        text = f"  {_MARKS[looked_at.result]} {looked_at.name}{place}"
        console.print(Text(text, style=_STYLES[looked_at.result]), soft_wrap=True)
    errors = sum(problem.level == "error" for problem in diagnosis.findings)
    if errors:
        console.print(f"{pluralize(errors, 'problem')} to fix")
    else:
        console.print(Text("nothing needs fixing", style="green"))
