"""`untildone rounds`: the rounds of a loop."""

from pathlib import Path

import click
from msgspec import Struct

from untildone.cli.loops import choose_loop_to_show, open_context
from untildone.cli.options import json_option, loop_argument, print_json, project_option
from untildone.cli.terminal_text import fit_headline, format_time
from untildone.core.concerns import strip_content_digest
from untildone.core.failure_list import summarize_result
from untildone.core.progress import Round
from untildone.core.text import join_first
from untildone.core.verdict import Finish, Pause
from untildone.report.totals import describe_totals

_FILES = 5


class Rounds(Struct, frozen=True, kw_only=True):
    loop: str
    rounds: tuple[Round, ...]


@click.command("rounds")
@loop_argument
@project_option
@json_option
def command(loop: str | None, *, project: Path | None, as_json: bool) -> None:
    """Show each judged stop: the verdict, the checks, the agent's message.

    \b
    untildone rounds              of this project's loop, or its last one
    untildone rounds 1f2e --json
    """
    context = open_context()
    record = choose_loop_to_show(context, loop, project)
    rounds = context.loops.read_rounds(record.contract.id)
    if as_json:
        print_json(Rounds(loop=record.contract.id, rounds=rounds))
        return
    for entry in rounds:
        click.echo(_format_round(entry))
    if not rounds:
        click.echo("no stop has been judged yet")


def _format_round(entry: Round) -> str:
    verdict = type(entry.verdict).__name__.lower()
    if isinstance(entry.verdict, Finish | Pause):
        verdict += f" ({entry.verdict.outcome}): {entry.verdict.reason}"
    lines = [f"round {entry.number}  {format_time(entry.at)}  {verdict}"]
    lines += [f"  {result.name}: {summarize_result(result)}" for result in entry.checks]
    if entry.totals and (counted := describe_totals(entry.totals)):
        lines.append(f"  total: {counted}")
    lines += [f"    {file.path}: {describe_totals(file)}" for file in entry.files[:_FILES]]
    lines += [f"  concern: {strip_content_digest(concern.id)}" for concern in entry.concerns or ()]
    if entry.written_files:
        lines.append(f"  touched: {join_first(entry.written_files)}")
    lines += [f"  noted: {note}" for note in entry.notes]
    if entry.message:
        said = "  the agent said: "
        lines.append(said + fit_headline(entry.message, indent=len(said)))
    return "\n".join(lines)
