"""`untildone drill`: prove that the installed hook holds and releases the agent."""

import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import replace
from rich.console import Console
from rich.text import Text

from untildone.agents import NAMES
from untildone.app import open_context
from untildone.cli.options import find_project, json_option, print_json, project_option
from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.install.client_files import find_install_paths
from untildone.install.health import find_broken_settings, find_disabled_hooks
from untildone.install.installation import Installation, read_installation
from untildone.install.manifest import list_installed_agents
from untildone.process.runner import end_runs_on_signal
from untildone.report.doctor import Problem
from untildone.runs.drill_proofs import SCENES, Proof, prove
from untildone.runs.drill_scene import make_settings
from untildone.store.home import prepare_home

_FIX = "run `untildone init` to write the hooks again; `untildone doctor` shows more"


class DrillReport(Struct, frozen=True, kw_only=True, rename={"fix": "mend"}):
    """What `drill --json` prints."""

    passed: bool
    proofs: tuple[Proof, ...]
    fix: str = ""


@click.command("drill")
@click.option(
    "--agent",
    "agents",
    multiple=True,
    type=click.Choice(NAMES),
    help="The agent whose hooks to try; without it, every one that is installed.",
)
@project_option
@json_option
def drill_command(agents: tuple[str, ...], project: Path | None, *, as_json: bool) -> int:
    """Feed the installed hooks real payloads and faults: exit 1 if one does not hold.

    It runs the installed command lines in a temporary project with its own sessions, and removes
    what it wrote to the state. It only reads settings.

    \b
    untildone drill
    untildone drill --json | jq .passed
    """
    console = Console(highlight=False)
    proofs: list[Proof] = []
    fix = ""
    with end_runs_on_signal():
        for agent in agents or list_installed_agents(open_context().home):
            context = open_context(agent=agent)
            paths = find_install_paths(context, find_project(project), agent=agent)
            installation = read_installation(paths, context.environ)
            if not as_json and agent != NAMES[0]:
                console.print(f"{context.agent.LAYOUT.title}:")
            for proof in _run_scenes(context, installation):
                proofs.append(replace(proof, agent=agent))
                if not as_json:
                    _print_proof(console, proof)
                if not proof.passed and not fix:
                    problem = _find_problem(installation)
                    fix = problem.fix if problem else _FIX
    passed = all(proof.passed for proof in proofs)
    if as_json:
        print_json(DrillReport(passed=passed, proofs=tuple(proofs), fix=fix))
    else:
        _print_result(console, proofs, fix)
    return 0 if passed else 1


def _run_scenes(context: Context, installation: Installation) -> Iterator[Proof]:
    problem = _describe_missing_hook(installation)
    yield Proof(name="installed", expected="a hook at Stop", passed=not problem, problem=problem)
    if problem:
        return
    try:
        prepare_home(context.home)
    except UserError as error:
        yield Proof(name="state", expected="writable", passed=False, problem=error.message)
        return
    hooked = {file.path: file for file in (*installation.files, *installation.hooked)}
    settings = [make_settings(file.ours, file.env) for file in hooked.values()]
    with tempfile.TemporaryDirectory(prefix="untildone-drill-", ignore_cleanup_errors=True) as top:
        for name in SCENES:
            folder = Path(top).resolve()
            yield prove(name, context=context, settings=settings, folder=folder)


def _describe_missing_hook(installation: Installation) -> str:
    """Say why the client would not run our hooks at all; empty if it would."""
    problem = _find_problem(installation)
    if problem:
        return problem.text
    stop = installation.paths.client.LAYOUT.events["Stop"]
    if not any(stop in file.ours for file in installation.hooked):
        return f"no hook of untildone is installed for `{stop}`"
    return ""


def _find_problem(installation: Installation) -> Problem | None:
    return next(chain(find_broken_settings(installation), find_disabled_hooks(installation)), None)


def _print_proof(console: Console, proof: Proof) -> None:
    mark, style = ("pass", "green") if proof.passed else ("FAIL", "bold red")
    time = f"{proof.seconds:5.1f} s" if proof.seconds else ""
    line = Text.assemble(
        (f"{mark}  ", style), f"{proof.name:<20} {proof.expected:<22} ", (time, "dim")
    )
    line.rstrip()
    if proof.problem:
        line.append(f"\n      {proof.problem}", style="red")
    console.print(line, soft_wrap=True)


def _print_result(console: Console, proofs: list[Proof], fix: str) -> None:
    failed = sum(not proof.passed for proof in proofs)
    if not failed:
        text = f"\n{len(proofs)} of {len(proofs)} passed: the installed hook holds and releases"
        console.print(Text(text, style="bold green"))
        return
    console.print(Text(f"\n{failed} of {len(proofs)} failed", style="bold red"))
    console.print(Text(f"fix: {fix}"), soft_wrap=True)
