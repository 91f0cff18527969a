"""How a verb of the agent is recorded, also where its shell cannot write our state."""

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
    """What is to be read later must say something."""
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
    """`which` is the loop and the project, as far as they were named."""
    context = open_context()
    chosen_one = choose_loop(context, *which)
    require_own_loop(context, chosen_one)
    named = chosen_one.contract.id
    try:
        record(context, named)
    except OSError:
        if not current_session_id(context):
            raise
        # A sandboxed shell: the hook reads this line from the tool call's output.
        for said in verb if isinstance(verb, tuple) else (verb,):
            click.echo(format_verb(said))
    click.echo(done)
