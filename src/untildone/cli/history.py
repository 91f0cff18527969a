"""`untildone history`: what ran."""

from pathlib import Path

import click
from msgspec import Struct

from untildone.cli.options import (
    broken,
    elsewhere,
    here,
    json_option,
    print_json,
    project_of,
    project_option,
    records,
)
from untildone.cli.width import headline, moment
from untildone.core.text import number


class Past(Struct, frozen=True, kw_only=True):
    id: str
    started_at: str
    project: str
    status: str
    outcome: str | None
    rounds: int
    spend_usd: float | None
    task: str


class History(Struct, frozen=True, kw_only=True):
    loops: tuple[Past, ...]


@click.command("history")
@click.option("--all", "everywhere", is_flag=True, help="Every project's.")
@project_option
@json_option
def command(*, everywhere: bool, project: Path | None, as_json: bool) -> None:
    """List the loops that ran here, newest first.

    \b
    untildone history --all
    untildone history --json | jq '.loops[].outcome'
    """
    found = here()
    place = str(project_of(project))
    loops = tuple(
        Past(
            id=record.contract.id,
            started_at=record.contract.started_at,
            project=record.contract.project,
            status=record.progress.status,
            outcome=record.progress.outcome,
            rounds=record.progress.round,
            spend_usd=record.progress.spend_usd,
            task=record.contract.task,
        )
        for record in records(found)
        if everywhere or record.contract.project == place
    )
    if as_json:
        print_json(History(loops=loops))
        return
    for damaged in broken(found):
        click.echo(f"{damaged.id}  cannot be read: {damaged.reason}", err=True)
    for loop in loops:
        click.echo(_line(loop, place=everywhere))
    if not loops:
        click.echo(f"nothing ran here yet{elsewhere(found)}")


def _line(loop: Past, *, place: bool) -> str:
    end = loop.outcome or loop.status
    rounds = number(loop.rounds, "round")
    head = f"{loop.id}  {moment(loop.started_at)}  {end:<14}  {rounds:>9}  "
    if place:
        head += f"{Path(loop.project).name}: "
    return head + headline(loop.task, indent=len(head))
