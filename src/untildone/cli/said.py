"""How a verb of the agent is recorded, also where its shell cannot write our state."""

from collections.abc import Callable

import click

from untildone.cli.options import chosen, here, session_here
from untildone.judge.context import Context
from untildone.judge.handover import Verb, printed
from untildone.store.loops import Record


def say(
    loop: str | None, verb: Verb, record: Callable[[Context, str], Record], *, done: str
) -> None:
    found = here()
    named = chosen(found, loop, None).contract.id
    try:
        record(found, named)
    except OSError:
        if not session_here(found):
            raise
        # A sandboxed shell: the hook reads this line from the tool call's output.
        click.echo(printed(verb))
    click.echo(done)
