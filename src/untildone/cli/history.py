"""`untildone history` and `rounds`: past loops, and each judged stop of one."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from msgspec import Struct

from untildone.cli import loops, options
from untildone.cli.terminal_text import fit_headline
from untildone.core.concerns import strip_content_digest
from untildone.core.failure_list import summarize_result
from untildone.core.progress import Round
from untildone.core.text import join_first, pluralize
from untildone.core.verdict import Finish, Outcome, Pause
from untildone.report.durations import format_seconds
from untildone.report.times import format_cost, format_time, measure_loop
from untildone.report.totals import describe_totals
from untildone.report.verdict_names import name_outcome, name_verdict
from untildone.store.history import History

_FILES = 5


class LoopEntry(Struct, frozen=True, kw_only=True):
    id: str
    started_at: str
    project: str
    status: str
    outcome: Outcome | None
    rounds: int
    spend_usd: float | None
    task: str
    # From the start to the end, or to the last change of an active loop.
    seconds: float


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
            seconds=measure_loop(record),
        )
        for record in loops.list_loops(context)
        if everywhere or record.contract.project == folder
    )
    if as_json:
        options.print_json({"loops": entries})
        return
    for damaged in loops.list_broken_loops(context):
        click.echo(f"{damaged.id}  cannot be read: {damaged.reason}", err=True)
    for line in _format_entries(entries, with_project=everywhere):
        click.echo(line)
    if not entries:
        click.echo(f"no loop ran in this project yet{loops.describe_other_loops(context)}")


def _format_entries(entries: Sequence[LoopEntry], *, with_project: bool) -> Iterator[str]:
    """Yield a line for each loop, in columns: id, start, result, rounds, duration, cost, task."""
    cells = [
        (
            name_outcome(entry.outcome) if entry.outcome else entry.status,
            pluralize(entry.rounds, "round"),
            format_seconds(entry.seconds),
            format_cost(entry.spend_usd),
        )
        for entry in entries
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for entry, (result, *figures) in zip(entries, cells, strict=True):
        aligned = map(str.rjust, figures, widths[1:])
        columns = (entry.id, format_time(entry.started_at), result.ljust(widths[0]), *aligned, "")
        head = "  ".join(columns)
        if with_project:
            head += f"{Path(entry.project).name}: "
        yield head + fit_headline(entry.task, indent=len(head))


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
    record = loops.choose_loop_to_show(context, loop, project)
    history = context.loops.read_history(record)
    options.print_report(
        {"loop": record.contract.id, "rounds": history.rounds, "unjudged": history.unjudged},
        _format_course(history) or ["no stop has been judged yet"],
        as_json=as_json,
    )


def _format_course(history: History) -> list[str]:
    """Return the lines of the rounds, and of the stops between them that were not judged."""
    parts = [(entry.number, tuple(_format_round(entry))) for entry in history.rounds]
    parts += [
        (stop.after_round, (f"stop     {format_time(stop.at)}  not judged: {stop.reason}",))
        for stop in history.unjudged
    ]
    return [line for _, lines in sorted(parts, key=lambda part: part[0]) for line in lines]


def _format_round(entry: Round) -> Iterator[str]:
    verdict = name_verdict(entry.verdict)
    if isinstance(entry.verdict, Finish | Pause):
        verdict += f": {entry.verdict.reason}"
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
