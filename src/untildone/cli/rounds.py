"""`untildone rounds`: a loop's rounds as they happened."""

import click
from msgspec import Struct

from untildone.cli.options import chosen, here, json_option, loop_argument, print_json
from untildone.loop.model import Finish, Pause, Round
from untildone.report.lines import counts


class Rounds(Struct, frozen=True, kw_only=True):
    loop: str
    rounds: tuple[Round, ...]


@click.command("rounds")
@loop_argument
@json_option
def command(loop: str | None, *, as_json: bool) -> None:
    """Show each judged stop: the verdict, the checks, what the agent had said."""
    found = here()
    record = chosen(found, loop, None)
    rounds = found.loops.rounds(record.contract.id)
    if as_json:
        print_json(Rounds(loop=record.contract.id, rounds=rounds))
        return
    for entry in rounds:
        click.echo(_text(entry))
    if not rounds:
        click.echo("no stop was judged yet")


def _text(entry: Round) -> str:
    verdict = type(entry.verdict).__name__.lower()
    if isinstance(entry.verdict, Finish | Pause):
        verdict += f" ({entry.verdict.outcome}): {entry.verdict.reason}"
    lines = [f"round {entry.number}  {entry.at}  {verdict}"]
    lines += [f"  {result.name}: {counts(result)}" for result in entry.checks]
    if entry.message:
        lines.append(f"  the agent said: {entry.message.splitlines()[0][:100]}")
    return "\n".join(lines)
