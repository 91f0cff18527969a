"""`untildone history` and `rounds`: past loops, and each judged stop of one."""

from collections.abc import Iterator
from pathlib import Path

import click
from msgspec import Struct

from untildone.cli import loops, options
from untildone.cli.terminal_text import fit_headline, format_time
from untildone.core.concerns import strip_content_digest
from untildone.core.failure_list import summarize_result
from untildone.core.progress import Round
from untildone.core.text import join_first, pluralize
from untildone.core.verdict import Finish, Pause
from untildone.report.totals import describe_totals

_FILES = 5


class LoopEntry(Struct, frozen=True, kw_only=True):
    id: str
    started_at: str
    project: str
    status: str
    outcome: str | None
    rounds: int
    spend_usd: float | None
    task: str


@click.command("history")
@click.option("--all", "everywhere", is_flag=True, help="List the loops of every project.")
@options.project_option
@options.json_option
def history_command(*, everywhere: bool, project: Path | None, as_json: bool) -> None:
    """List the loops that ran here, newest first.

    \b
    untildone history --all
    untildone history --json | jq '.loops[].outcome'
    """
    context = loops.open_context()
    folder = str(options.find_project(project))
    entries = tuple(
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
        for record in loops.list_loops(context)
        if everywhere or record.contract.project == folder
    )
    if as_json:
        options.print_json({"loops": entries})
        return
    for damaged in loops.list_broken_loops(context):
        click.echo(f"{damaged.id}  cannot be read: {damaged.reason}", err=True)
    for entry in entries:
        click.echo(_format_entry(entry, with_project=everywhere))
    if not entries:
        click.echo(f"no loop ran in this project yet{loops.describe_other_loops(context)}")


def _format_entry(entry: LoopEntry, *, with_project: bool) -> str:
    result = entry.outcome or entry.status
    rounds = pluralize(entry.rounds, "round")
    head = f"{entry.id}  {format_time(entry.started_at)}  {result:<14}  {rounds:>9}  "
    if with_project:
        head += f"{Path(entry.project).name}: "
    return head + fit_headline(entry.task, indent=len(head))


@click.command("rounds")
@options.loop_argument
@options.project_option
@options.json_option
def rounds_command(loop: str | None, *, project: Path | None, as_json: bool) -> None:
    """Show each judged stop: the verdict, the checks, the agent's message.

    \b
    untildone rounds              of this project's loop, or its last one
    untildone rounds 1f2e --json
    """
    context = loops.open_context()
    name = loops.choose_loop_to_show(context, loop, project).contract.id
    rounds = context.loops.read_rounds(name)
    lines = [line for entry in rounds for line in _format_round(entry)]
    options.print_report(
        {"loop": name, "rounds": rounds},
        lines or ["no stop has been judged yet"],
        as_json=as_json,
    )


def _format_round(entry: Round) -> Iterator[str]:
    verdict = type(entry.verdict).__name__.lower()
    if isinstance(entry.verdict, Finish | Pause):
        verdict += f" ({entry.verdict.outcome}): {entry.verdict.reason}"
    yield f"round {entry.number}  {format_time(entry.at)}  {verdict}"
    yield from (f"  {result.name}: {summarize_result(result)}" for result in entry.checks)
    if entry.totals and (counted := describe_totals(entry.totals)):
        yield f"  total: {counted}"
    yield from (f"    {file.path}: {describe_totals(file)}" for file in entry.files[:_FILES])
    concerns = entry.concerns or ()
    yield from (f"  concern: {strip_content_digest(concern.id)}" for concern in concerns)
    if entry.written_files:
        yield f"  touched: {join_first(entry.written_files)}"
    yield from (f"  noted: {note}" for note in entry.notes)
    if entry.message:
        speaker = "  the agent said: "
        yield speaker + fit_headline(entry.message, indent=len(speaker))
