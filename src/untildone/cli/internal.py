"""Hidden commands that programs run: hooks, the status line, and detached processes.

Each imports what it needs when it is called, because it runs in a process of its own.
"""

import os
from pathlib import Path

import click

from untildone.cli.options import ANY_PATH, FOLDER


@click.command("hook", hidden=True)
@click.argument("event")
@click.argument("agent", default="claude")
@click.argument("source", default="plugin")
@click.argument("home", default="")
@click.option("--agent", "agent_name", help="The agent whose event it is.")
def hook_command(event: str, agent: str, source: str, home: str, *, agent_name: str | None) -> int:
    """Answer one event: its payload on stdin, the answer on stdout, always exit 0."""
    return _run_hook(event, agent_name or agent, source, home)


@click.command("statusline", hidden=True)
def statusline_command() -> int:
    """Print the loop's line for the agent's status line; its payload comes on stdin."""
    return _run_hook("StatusLine", "claude", "settings", "")


def _run_hook(event: str, agent: str, source: str, home: str) -> int:
    from untildone.hooks.entry import main
    from untildone.store.home import find_state_home

    return main([event, agent, source, home or str(find_state_home(os.environ))])


@click.command("baseline", hidden=True)
@click.argument("loop")
@click.argument("tree")
def baseline_command(loop: str, tree: str) -> None:
    """Run the checks of a new loop once."""
    from untildone.cli.loops import open_context
    from untildone.engine.baseline_results import run_detached_baseline

    run_detached_baseline(open_context(), loop, tree)


@click.command("sandbox-trial", hidden=True)
@click.argument("loop")
@click.argument("starter", type=int)
def sandbox_trial_command(loop: str, starter: int) -> None:
    """Try out how the sandboxes of a new loop can be walled."""
    from untildone.cli.loops import open_context
    from untildone.engine.sandbox_trial import try_sandboxes

    try_sandboxes(open_context(), loop, starter=starter)


@click.command("diagnose", hidden=True)
@click.argument("project", type=FOLDER)
@click.argument("files", nargs=-1, type=ANY_PATH)
@click.option("--idle", type=float, metavar="SECONDS")
def diagnose_command(project: Path, files: tuple[Path, ...], idle: float | None) -> None:
    """Keep the language servers of a project warm."""
    from untildone.cli.loops import open_context
    from untildone.features.edits.server_process import IDLE_SECONDS, keep_warm

    keep_warm(open_context(), project, files, idle=IDLE_SECONDS if idle is None else idle)


@click.command("milestone", hidden=True)
@click.argument("letter")
def milestone_command(letter: str) -> None:
    """Deliver a notification."""
    from untildone.cli.loops import open_context
    from untildone.features.milestones.delivery import deliver

    deliver(open_context(), letter)


@click.command("otel-export", hidden=True)
@click.argument("loop")
def otel_export_command(loop: str) -> None:
    """Send the trace of a loop that has ended."""
    from untildone.cli.loops import open_context
    from untildone.features.telemetry.detached_export import export_at_end

    export_at_end(open_context(), loop)
