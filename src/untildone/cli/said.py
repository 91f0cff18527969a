"""How a verb of the agent is recorded, also where its shell cannot write our state."""

from collections.abc import Callable
from pathlib import Path

import click

from untildone.cli.options import chosen, here, own_loop, session_here
from untildone.engine.context import Context
from untildone.engine.relayed_verbs import Verb, printed
from untildone.errors import UserError
from untildone.store.loops import Record

which_option = click.option("--loop", metavar="ID", help="The loop, if not this session's.")


def words(_context: click.Context, parameter: click.Parameter, text: str) -> str:
    """What is to be read later must say something."""
    if not text.strip():
        name = parameter.opts[0] if isinstance(parameter, click.Option) else parameter.name
        raise UserError(f"`{name}` is empty", hint="say it in words")
    return text


def say(
    which: tuple[str | None, Path | None],
    verb: Verb | tuple[Verb, ...],
    record: Callable[[Context, str], Record],
    *,
    done: str,
) -> None:
    """`which` is the loop and the project, as far as they were named."""
    found = here()
    chosen_one = chosen(found, *which)
    own_loop(found, chosen_one)
    named = chosen_one.contract.id
    try:
        record(found, named)
    except OSError:
        if not session_here(found):
            raise
        # A sandboxed shell: the hook reads this line from the tool call's output.
        for said in verb if isinstance(verb, tuple) else (verb,):
            click.echo(printed(said))
    click.echo(done)
