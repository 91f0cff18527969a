"""`untildone replay`: the rounds of a loop in the terminal, as they happened, in less time."""

import sys
import time
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

import click
from msgspec import Struct

from untildone.checks.clean_output import clean
from untildone.cli import loops, options
from untildone.core.failure_list import summarize_result
from untildone.core.progress import Round
from untildone.core.text import join_first, shorten, to_one_line
from untildone.report.columns import fit_columns
from untildone.report.times import format_time
from untildone.report.verdict_names import name_state, name_verdict
from untildone.store.loops import Record

_WIDTH = 80
# The column at which the lines of a round begin, behind its time and number.
_INDENT = 20
# Nobody watches a terminal in which nothing happens for longer.
_LONGEST_WAIT = 5.0
_BAR = 40
_STEPS_PER_SECOND = 10


class ReplayedRound(Struct, frozen=True, kw_only=True):
    """A round, and how many seconds after the loop's start it was judged."""

    seconds: float
    round: Round


class Replay(Struct, frozen=True, kw_only=True):
    """What `replay --json` prints."""

    loop: str
    started_at: str
    task: str
    rounds: tuple[ReplayedRound, ...]


@click.command("replay")
@options.loop_argument
@click.option(
    "--speed",
    type=click.FloatRange(0, min_open=True),
    metavar="N",
    default=60,
    show_default=True,
    help="How many times faster than it happened; no wait is longer than 5 seconds.",
)
@options.project_option
@options.json_option
def replay_command(loop: str | None, *, speed: float, project: Path | None, as_json: bool) -> None:
    """Replay a loop's rounds in the terminal; a pipe gets them at once.

    \b
    untildone replay                  this project's loop, or its last one
    untildone replay 1f2e --speed 600
    """
    context = loops.open_context()
    record = loops.choose_loop_to_show(context, loop, project)
    replay = _build_replay(record, context.loops.read_rounds(record.contract.id))
    if as_json:
        options.print_json(replay)
        return
    _play(replay, record, speed=speed if sys.stdout.isatty() else 0)


def _build_replay(record: Record, rounds: tuple[Round, ...]) -> Replay:
    contract = record.contract
    start = datetime.fromisoformat(contract.started_at)
    return Replay(
        loop=contract.id,
        started_at=contract.started_at,
        task=contract.task,
        rounds=tuple(
            ReplayedRound(
                # Rounds of another tool, from before an import, have no time of ours.
                seconds=max(0, (datetime.fromisoformat(entry.at) - start).total_seconds()),
                round=entry,
            )
            for entry in rounds
        ),
    )


def _play(replay: Replay, record: Record, *, speed: float) -> None:
    """Print the rounds, with the waits between them divided by `speed`; without waits for 0."""
    _print_line(f"loop {replay.loop}  {format_time(replay.started_at)}  {to_one_line(replay.task)}")
    if speed and replay.rounds:
        _play_live(replay, speed=speed)
    else:
        for played in replay.rounds:
            _print_lines(_format_round(played))
    if not replay.rounds:
        _print_line("no stop has been judged yet")
    reason = f": {to_one_line(record.progress.reason)}" if record.progress.reason else ""
    _print_lines((f"{name_state(record.progress)}{reason}",))


def _play_live(replay: Replay, *, speed: float) -> None:
    """Print the rounds above a bar that moves through the time of the loop."""
    # Imported here because a pipe needs no bar.
    from rich.progress import BarColumn, Progress, TextColumn
    from rich.text import Text

    last = replay.rounds[-1]
    columns = BarColumn(bar_width=_BAR), TextColumn("{task.description}")
    with Progress(*columns, transient=True) as progress:
        bar = progress.add_task("", total=max(last.seconds, 1.0))
        before = 0.0
        for played in replay.rounds:
            length = played.seconds - before
            wait = min(_LONGEST_WAIT, max(0.0, length) / speed)
            steps = max(1, round(wait * _STEPS_PER_SECOND))
            for step in range(1, steps + 1):
                time.sleep(wait / steps)
                now = before + length * step / steps
                text = f"round {played.round.number} of {last.round.number}"
                text += f"  {_format_seconds(now)} of {_format_seconds(last.seconds)}"
                progress.update(bar, completed=now, description=text)
            before = played.seconds
            for line in ("", *_format_round(played)):
                progress.console.print(Text(_fit(line)), no_wrap=True)


def _print_lines(lines: Iterable[str]) -> None:
    for line in ("", *lines):
        _print_line(line)


def _print_line(line: str) -> None:
    click.echo(_fit(line))


def _fit(line: str) -> str:
    return fit_columns(clean(line), _WIDTH)


def _format_round(played: ReplayedRound) -> Iterator[str]:
    entry, margin = played.round, " " * _INDENT
    head = f"+{_format_seconds(played.seconds)}  round {entry.number}"
    yield f"{head:<{_INDENT}}{name_verdict(entry.verdict)}"
    if entry.message:
        yield f"{margin}agent: “{shorten(to_one_line(entry.message), _WIDTH - _INDENT - 9)}”"
    if entry.written_files:
        yield f"{margin}wrote: {join_first(entry.written_files, 3)}"
    for result in entry.checks:
        yield f"{margin}{'✓' if result.green else '✗'} {result.name}: {summarize_result(result)}"
    for concern in entry.concerns or ():
        yield f"{margin}! {to_one_line(concern.detail)}"
    yield from (f"{margin}note: {to_one_line(note)}" for note in entry.notes)


def _format_seconds(seconds: float) -> str:
    """Return `2:05`, or `1:02:05` from an hour on."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
