"""`untildone show`: one loop whole."""

from collections.abc import Iterator
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import replace

from untildone.cli.options import (
    here,
    json_option,
    looked_at,
    loop_argument,
    print_json,
    project_option,
)
from untildone.judge.held import status_of
from untildone.loop.criteria import agreed
from untildone.loop.model import Contract, Evidence, Oracle, Progress
from untildone.report.receipt import as_text, receipt
from untildone.report.status import LoopStatus


class Shown(Struct, frozen=True, kw_only=True):
    status: LoopStatus
    contract: Contract
    progress: Progress
    seal: str


@click.command("show")
@loop_argument
@project_option
@json_option
def command(loop: str | None, *, project: Path | None, as_json: bool) -> None:
    """Show a loop's contract, progress and receipt.

    \b
    untildone show              of this project's loop, or its last one
    untildone show 1f2e --json
    """
    found = here()
    record = looked_at(found, loop, project)
    seal = found.loops.seal_broken(record.contract.id)
    if as_json:
        print_json(
            Shown(
                status=status_of(found, record),
                contract=_without_secrets(record.contract),
                progress=record.progress,
                seal=seal or "whole",
            )
        )
        return
    rounds = found.loops.rounds(record.contract.id)
    evidence = Evidence(checks=rounds[-1].checks if rounds else ())
    paper = receipt(record, evidence, rounds, at=record.progress.updated_at)
    click.echo(as_text(paper))
    contract = agreed(record.contract, record.progress.amendments)
    click.echo("\n".join(["## Agreed", *(f"- {line}" for line in _agreed(contract)), ""]))
    click.echo(f"seal: {seal or 'whole'}\nfiles: {found.loops.folder(record.contract.id)}")


def _without_secrets(contract: Contract) -> Contract:
    """An agent may ask this too."""
    hidden = Oracle(path="withheld", sha256="withheld")
    return replace(contract, oracle=hidden) if contract.oracle else contract


def _agreed(contract: Contract) -> Iterator[str]:
    for check in contract.checks:
        late = ", only when all else is met" if check.when == "done" else ""
        yield f"check {check.name}: `{check.command}`{late}"
    yield from (f"promise: {text}" for text in contract.promises)
    yield from (f"claim: {claim.name} (by {claim.verification})" for claim in contract.claims)
    yield from (f"must not exit 0: `{command}`" for command in contract.must_not)
    if contract.oracle:
        yield "a hidden check of the person, run to confirm"
    bounds = contract.bounds
    named = {"rounds": bounds.rounds, "USD": bounds.budget_usd, "minutes": bounds.minutes}
    yield "bounds: " + ", ".join(f"{value:g} {name}" for name, value in named.items() if value)
