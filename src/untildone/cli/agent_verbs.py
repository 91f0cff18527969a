"""How a report of the agent is recorded, also if its shell cannot write our state."""

from collections.abc import Callable
from pathlib import Path

import click

from untildone.cli.authority import require_own_loop
from untildone.cli.loops import choose_loop, current_session_id, open_context
from untildone.engine.context import Context
from untildone.engine.relayed_verbs import RelayedVerb, format_verb
from untildone.errors import UserError
from untildone.store.loops import Record


def require_text(_context: click.Context, parameter: click.Parameter, text: str) -> str:
    """A click callback that refuses an empty text."""
    if not text.strip():
        name = parameter.opts[0] if isinstance(parameter, click.Option) else parameter.name
        raise UserError(f"`{name}` is empty", hint="say it in words")
    return text


def record_verb(
    which: tuple[str | None, Path | None],
    verb: RelayedVerb | tuple[RelayedVerb, ...],
    record: Callable[[Context, str], Record],
    *,
    done: str,
) -> None:
    """`which` is the loop and the project, each None if it was not given."""
    context = open_context()
    loop = choose_loop(context, *which)
    require_own_loop(context, loop)
    try:
        record(context, loop.contract.id)
    except OSError:
        if not current_session_id(context):
            raise
        # A sandboxed shell: the hook reads this line from the tool call's output.
        for each in verb if isinstance(verb, tuple) else (verb,):
            click.echo(format_verb(each))
    click.echo(done)
