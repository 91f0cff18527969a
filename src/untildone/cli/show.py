"""`untildone show`: one loop in full."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from msgspec import Struct
from msgspec.structs import replace

from untildone.cli.loops import choose_loop_to_show, list_loops, open_context
from untildone.cli.options import json_option, loop_argument, print_report, project_option
from untildone.core.contract import Contract, Oracle
from untildone.core.progress import Progress
from untildone.engine.concern_diffs import read_baseline_file
from untildone.engine.context import Context
from untildone.engine.hold_status import load_loop_status
from untildone.engine.receipts import load_receipt, write_ci_reports
from untildone.errors import UserError
from untildone.report.receipt import Receipt
from untildone.report.receipt_text import render_receipt
from untildone.report.status import LoopStatus
from untildone.store.loops import Record


class LoopDetails(Struct, frozen=True, kw_only=True):
    status: LoopStatus
    contract: Contract
    progress: Progress
    seal: str
    receipt: Receipt


@click.command("show")
@loop_argument
@click.option("--at-start", metavar="PATH", help="Print that file as it was in the baseline.")
@click.option(
    "--reports",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write receipt, JUnit and SARIF there, for a CI artifact.",
)
@click.option("--all", "every", is_flag=True, help="With `--reports`: for every loop.")
@project_option
@json_option
def show_command(loop: str | None, *, project: Path | None, as_json: bool, **values: Any) -> None:  # noqa: ANN401  click's own values
    """Show a loop's contract, progress and receipt, with the concerns you may approve.

    \b
    untildone show              of this project's loop, or its last one
    untildone show 1f2e --json
    untildone show --at-start tests/test_price.py > tests/test_price.py
    untildone show --all --reports build/untildone
    """
    if values["reports"] and values["at_start"]:
        # Agents may run `show --at-start` without asking, so it never writes.
        raise UserError(
            "`--at-start` and `--reports` cannot be used together", hint="call `show` twice"
        )
    context = open_context()
    if values["reports"] and values["every"]:
        for record in list_loops(context):
            click.echo(write_ci_reports(context, record, values["reports"]))
        return
    record = choose_loop_to_show(context, loop, project)
    if values["reports"]:
        click.echo(write_ci_reports(context, record, values["reports"]))
        return
    if values["at_start"]:
        click.echo(read_baseline_file(context, record, values["at_start"]), nl=False)
        return
    details = LoopDetails(
        status=load_loop_status(context, record),
        contract=_hide_oracle(record.contract),
        progress=record.progress,
        seal=context.loops.explain_broken_seal(record.contract.id) or "whole",
        receipt=load_receipt(context, record),
    )
    print_report(details, _format_details(context, record, details), as_json=as_json)


def _format_details(context: Context, record: Record, details: LoopDetails) -> Iterator[str]:
    yield render_receipt(details.receipt)
    yield "## Agreed"
    yield from (f"- {line}" for line in _describe_contract(record.agreed))
    yield f"\nseal: {details.seal}\nfiles: {context.loops.get_folder(record.contract.id)}"


def _hide_oracle(contract: Contract) -> Contract:
    """Return the contract without its oracle, which an agent that runs this must not see."""
    hidden = Oracle(path="withheld", sha256="withheld")
    return replace(contract, oracle=hidden) if contract.oracle else contract


def _describe_contract(contract: Contract) -> Iterator[str]:
    for check in contract.checks:
        condition = ", only when everything else is met" if check.when == "done" else ""
        yield f"check {check.name}: `{check.command}`{condition}"
    yield from (f"promise: {text}" for text in contract.promises)
    yield from (f"claim: {claim.name} (by {claim.verification})" for claim in contract.claims)
    yield from (f"must not exit 0: `{command}`" for command in contract.must_not)
    if contract.oracle:
        yield "a hidden check of the user, run to confirm"
    bounds = contract.bounds
    limits = {
        "rounds": bounds.rounds,
        "USD": bounds.budget_usd,
        "minutes": bounds.minutes,
        "minutes a round": bounds.round_minutes,
    }
    yield "bounds: " + ", ".join(f"{value:g} {name}" for name, value in limits.items() if value)
