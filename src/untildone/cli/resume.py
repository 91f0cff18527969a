"""`untildone continue`: hold the agent again."""

from pathlib import Path

import click

from untildone.cli.options import (
    chosen,
    here,
    loop_argument,
    persons_word,
    project_option,
    session_here,
)
from untildone.errors import UserError
from untildone.judge import verbs
from untildone.judge.bounds import grant
from untildone.judge.move import move_here
from untildone.report.lines import place


@click.command("continue")
@loop_argument
@click.option("--rounds", metavar="[+=]N", help="Add (`+N`) or set (`=N`) the bound of rounds.")
@click.option("--budget", metavar="[+=]USD", help="Add to or set the budget.")
@click.option("--minutes", metavar="[+=]N", help="Add to or set the minutes.")
@click.option("--here", "into_session", is_flag=True, help="Take the loop into this session.")
@project_option
def command(
    loop: str | None,
    *,
    rounds: str | None,
    budget: str | None,
    minutes: str | None,
    into_session: bool,
    project: Path | None,
) -> None:
    """Continue a paused loop; one that ran into a bound is given as much again.

    \b
    untildone continue
    untildone continue --rounds +5
    untildone continue --budget =40
    untildone continue --here 1f2e3d4c     after `/clear`, in the new conversation
    """
    found = here()
    record = chosen(found, loop, project)
    session = found.session(session_here(found)) if into_session else None
    persons_word(found, record, "continue", session=session)
    values = {"rounds": rounds, "budget": budget, "minutes": minutes}
    given = grant({name: value for name, value in values.items() if value is not None})
    if session and not session.id:
        raise UserError(
            "`--here` needs an agent's session", hint="type `!untildone continue --here` in it"
        )
    if session:
        record = move_here(found, record, session.id)
    record = verbs.resume(found, record.contract.id, given)
    click.echo(
        f"loop {record.contract.id} goes on, {place(record.contract, record.progress)};"
        " the agent is held from its next stop"
    )
