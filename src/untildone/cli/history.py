"""`untildone history` and `rounds`: past loops, and each judged stop of one."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from msgspec import Struct

from untildone.checks.clean_output import clean
from untildone.cli import loops, options
from untildone.cli.history_filters import add_filters, build_filter
from untildone.cli.terminal_text import fit_headline, open_display
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
from untildone.store.loops import Record, UnreadableLoop

_FILES = 5
_HEADS = ("loop", "started", "state", "rounds", "time", "USD")
# The first columns are names.
_NAMES = 3


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
    # The one that has it now, or had it last.
    agent: str


@click.command("history")
@click.option("--all", "everywhere", is_flag=True, help="List the loops of every project.")
@add_filters
@options.project_option
@options.json_option
def history_command(
    *, everywhere: bool, project: Path | None, as_json: bool, limit: int | None, **filters: object
) -> None:
    """List the loops that ran here, newest first.

    \b
    untildone history --all --since 7d
    untildone history --outcome done --task parser --limit 5
    untildone history --json | jq '.loops[].outcome'
    """
    context = loops.open_context()
    wanted = build_filter(filters, now=context.now())
    folder = str(options.find_project(project))
    found = context.loops.list_all()
    records = [entry for entry in found if isinstance(entry, Record)]
    here = [record for record in records if everywhere or record.contract.project == folder]
    matching = [record for record in here if wanted.matches(record)]
    entries = tuple(map(_make_entry, matching[:limit]))
    if as_json:
        options.print_json({"loops": entries})
        return
    for damaged in found:
        if isinstance(damaged, UnreadableLoop):
            click.echo(f"{damaged.id}  cannot be read: {damaged.reason}", err=True)
    for line in _format_entries(entries, with_project=everywhere):
        click.echo(line)
    if not here:
        others = loops.describe_other_loops(len(records))
        click.echo(f"no loop ran in this project yet{others}")
    elif len(entries) < len(here):
        shown = f"{len(entries) or 'none'} of {pluralize(len(here), 'loop')}"
        click.echo(shown if entries else f"{shown} matches", err=True)


def _make_entry(record: Record) -> LoopEntry:
    contract, progress = record.contract, record.progress
    return LoopEntry(
        id=contract.id,
        started_at=contract.started_at,
        project=contract.project,
        status=progress.status,
        outcome=progress.outcome,
        rounds=progress.round,
        spend_usd=progress.spend_usd,
        task=contract.task,
        seconds=measure_loop(record),
        agent=record.agreed.agent,
    )


def _format_entries(entries: Sequence[LoopEntry], *, with_project: bool) -> Iterator[str]:
    """Yield a line for each loop, in columns: id, start, result, rounds, duration, cost, task.

    A terminal gets shorter columns and a head, as the task should fit beside them.
    """
    is_short = sys.stdout.isatty()
    cells = [_list_cells(entry, is_short=is_short) for entry in entries]
    heads = [_HEADS, *cells] if is_short and entries else cells
    widths = [max(map(len, column)) for column in zip(*heads, strict=True)]
    if is_short and entries:
        yield open_display().paint(f"{_align(_HEADS, widths)}task", dim=True)
    for entry, row in zip(entries, cells, strict=True):
        head = _align(row, widths)
        project = f"{Path(entry.project).name}: " if with_project else ""
        yield head + fit_headline(f"{project}{entry.task.lstrip()}", indent=len(head))


def _list_cells(entry: LoopEntry, *, is_short: bool) -> tuple[str, ...]:
    took = format_seconds(entry.seconds)
    started, state = format_time(entry.started_at), entry.outcome or entry.status
    if is_short:
        spent = "?" if entry.spend_usd is None else f"{entry.spend_usd:.2f}"
        # Without the year.
        return entry.id, started[5:], state, str(entry.rounds), took, spent
    state = name_outcome(entry.outcome) if entry.outcome else entry.status
    rounds = pluralize(entry.rounds, "round")
    return entry.id, started, state, rounds, took, format_cost(entry.spend_usd)


def _align(row: tuple[str, ...], widths: list[int]) -> str:
    """Return the cells of a row: names to the left, figures to the right."""
    names = map(str.ljust, row[:_NAMES], widths)
    return "  ".join((*names, *map(str.rjust, row[_NAMES:], widths[_NAMES:]), ""))


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
    ordered = sorted(parts, key=lambda part: part[0])
    # Notes, paths and reasons are foreign text.
    return [clean(line) for _, lines in ordered for line in lines]


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
