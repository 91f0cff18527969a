"""`untildone history`: past loops."""

from pathlib import Path

import click
from msgspec import Struct

from untildone.cli.loops import describe_other_loops, list_broken_loops, list_loops, open_context
from untildone.cli.options import json_option, print_json, project_option
from untildone.cli.project import find_project
from untildone.cli.terminal_text import fit_headline, format_time
from untildone.core.text import pluralize


class LoopEntry(Struct, frozen=True, kw_only=True):
    id: str
    started_at: str
    project: str
    status: str
    outcome: str | None
    rounds: int
    spend_usd: float | None
    task: str


class History(Struct, frozen=True, kw_only=True):
    loops: tuple[LoopEntry, ...]


@click.command("history")
@click.option("--all", "everywhere", is_flag=True, help="List the loops of every project.")
@project_option
@json_option
def command(*, everywhere: bool, project: Path | None, as_json: bool) -> None:
    """List the loops that ran here, newest first.

    \b
    untildone history --all
    untildone history --json | jq '.loops[].outcome'
    """
    context = open_context()
    folder = str(find_project(project))
    loops = tuple(
        LoopEntry(
            id=record.contract.id,
            started_at=record.contract.started_at,
            project=record.contract.project,
            status=record.progress.status,
            outcome=record.progress.outcome,
            rounds=record.progress.round,
            spend_usd=record.progress.spend_usd,
            task=record.contract.task,
        )
        for record in list_loops(context)
        if everywhere or record.contract.project == folder
    )
    if as_json:
        print_json(History(loops=loops))
        return
    for damaged in list_broken_loops(context):
        click.echo(f"{damaged.id}  cannot be read: {damaged.reason}", err=True)
    for loop in loops:
        click.echo(_format_entry(loop, with_project=everywhere))
    if not loops:
        click.echo(f"no loop ran in this project yet{describe_other_loops(context)}")


def _format_entry(loop: LoopEntry, *, with_project: bool) -> str:
    result = loop.outcome or loop.status
    rounds = pluralize(loop.rounds, "round")
    head = f"{loop.id}  {format_time(loop.started_at)}  {result:<14}  {rounds:>9}  "
    if with_project:
        head += f"{Path(loop.project).name}: "
    return head + fit_headline(loop.task, indent=len(head))
