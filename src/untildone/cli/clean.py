"""`untildone clean`: end forgotten loops, and delete what is kept of old ones."""

import click
from msgspec import Struct

from untildone.cli.authority import require_user_of_machine
from untildone.cli.loops import choose_loop, format_loop, list_loops, open_context
from untildone.cli.options import json_option, print_report
from untildone.engine import verbs
from untildone.engine.context import Context
from untildone.engine.stale_loops import STALE_DAYS, find_stale_loops, is_older
from untildone.errors import UserError
from untildone.features.spec.cleanup import offer_deletion, remove_state
from untildone.store.loops import Record


class CleanReport(Struct, frozen=True, kw_only=True):
    """What `clean --json` prints: the ids of the loops."""

    cancelled: tuple[str, ...]
    deleted: tuple[str, ...]
    dry_run: bool


@click.command("clean")
@click.argument("loops", metavar="[LOOP]...", nargs=-1)
@click.option(
    "--days",
    type=click.FloatRange(min=0),
    default=STALE_DAYS,
    show_default=True,
    metavar="N",
    help="Only loops in which nothing has happened for so long.",
)
@click.option(
    "--delete", is_flag=True, help="Also delete the state and receipts of finished loops."
)
@click.option("--dry-run", is_flag=True, help="Only print what would be done.")
@json_option
def clean_command(
    loops: tuple[str, ...], *, days: float, delete: bool, dry_run: bool, as_json: bool
) -> None:
    """Cancel loops that were paused 30 days ago or earlier, in every project.

    Their receipts stay, unless you give `--delete`. Finished loops that you name are deleted.

    \b
    untildone clean --dry-run
    untildone clean --days 7
    untildone clean --delete      and forget the loops that finished before
    untildone clean 1f2e          delete what is kept of this finished loop
    """
    context = open_context()
    require_user_of_machine(context, "clean")
    records = list_loops(context)
    stale: list[Record] = []
    if loops:
        removed = [_choose_finished(context, loop) for loop in loops]
    else:
        stale = find_stale_loops(context, records, days=days)
        removed = [*_find_old_loops(context, records, days=days), *stale] if delete else []
    if not dry_run:
        _clean(context, stale, removed, days=days)
    report = CleanReport(
        cancelled=tuple(record.contract.id for record in stale),
        deleted=tuple(record.contract.id for record in removed),
        dry_run=dry_run,
    )
    words = "would be " if dry_run else ""
    lines = [
        *(f"{words}cancelled: {format_loop(record)}" for record in stale),
        *(f"{words}deleted: {format_loop(record)}" for record in removed),
        *([] if loops else _list_kept(records, removed)),
    ]
    nothing = f"no loop has been paused for more than {days:g} days"
    print_report(report, lines or [nothing], as_json=as_json)


def _clean(context: Context, stale: list[Record], removed: list[Record], *, days: float) -> None:
    """Cancel the stale loops, then delete what is kept of the removed ones."""
    for record in stale:
        reason = f"paused for more than {days:g} days, cancelled by `untildone clean`"
        verbs.cancel(context, record.contract.id, reason)
    for record in removed:
        remove_state(context, record.contract)


def _choose_finished(context: Context, loop: str) -> Record:
    record = choose_loop(context, loop, None)
    if record.progress.status != "finished":
        loop = record.contract.id
        raise UserError(
            f"loop `{loop}` is {record.progress.status}", hint=f"`untildone cancel {loop}` ends it"
        )
    return record


def _list_kept(records: list[Record], removed: list[Record]) -> list[str]:
    """Return the offer to delete what is kept of each loop from a spec, as its end made it."""
    return [
        f"{format_loop(record)}\n  {offer}"
        for record in records
        if record not in removed and (offer := offer_deletion(record))
    ]


def _find_old_loops(context: Context, records: list[Record], *, days: float) -> list[Record]:
    finished = (record for record in records if record.progress.status == "finished")
    return [record for record in finished if is_older(record, days=days, now=context.now())]
