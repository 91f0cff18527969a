"""`untildone show`: one loop whole."""

import click
from msgspec import Struct

from untildone.cli.options import chosen, here, json_option, loop_argument, print_json
from untildone.judge.held import status_of
from untildone.loop.model import Contract, Evidence, Progress
from untildone.report.receipt import as_text, receipt
from untildone.report.status import LoopStatus


class Shown(Struct, frozen=True, kw_only=True):
    status: LoopStatus
    contract: Contract
    progress: Progress
    seal: str


@click.command("show")
@loop_argument
@json_option
def command(loop: str | None, *, as_json: bool) -> None:
    """Show a loop's contract, progress and receipt."""
    found = here()
    record = chosen(found, loop, None)
    seal = found.loops.seal_broken(record.contract.id)
    if as_json:
        print_json(
            Shown(
                status=status_of(found, record),
                contract=record.contract,
                progress=record.progress,
                seal=seal or "whole",
            )
        )
        return
    rounds = found.loops.rounds(record.contract.id)
    evidence = Evidence(checks=rounds[-1].checks if rounds else ())
    paper = receipt(record, evidence, rounds, at=record.progress.updated_at)
    click.echo(as_text(paper))
    click.echo(f"seal: {seal or 'whole'}\nfiles: {found.loops.folder(record.contract.id)}")
