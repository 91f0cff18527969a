"""How a report of the agent is recorded, also from a shell that cannot write our state."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from untildone.cli.authority import require_own_loop
from untildone.cli.loops import choose_loop, get_session_id, open_context
from untildone.cli.options import loop_option, project_option
from untildone.engine.agent_verbs import AgentVerb, format_verb
from untildone.engine.context import Context
from untildone.engine.verbs import record_agent_verb
from untildone.errors import UserError
from untildone.store.loops import Record


class AgentReport(Struct, frozen=True, kw_only=True):
    """`verbs` are printed if the state cannot be written. A feature records its own by `record`."""

    verbs: tuple[AgentVerb, ...]
    done: str
    record: Callable[[Context, str], Record] | None = None


def require_text(_context: click.Context, parameter: click.Parameter, text: str) -> str:
    """Refuse an empty text, as a callback of click."""
    if not text.strip():
        name = parameter.opts[0] if isinstance(parameter, click.Option) else parameter.name
        raise UserError(f"`{name}` is empty", hint="say it in words")
    return text


def records_report(build_report: Callable[..., AgentReport]) -> Callable[..., None]:
    """Add `--loop` and `--project` to a command and record the report that it returns."""

    @loop_option
    @project_option
    @wraps(build_report)
    def call(*, loop: str | None, project: Path | None, **values: Any) -> None:  # noqa: ANN401  click's own
        report = build_report(**values)
        context = open_context()
        record = choose_loop(context, loop, project)
        require_own_loop(context, record)
        try:
            if report.record:
                report.record(context, record.contract.id)
            else:
                record_agent_verb(context, record.contract.id, report.verbs[0])
        except OSError:
            if not get_session_id(context):
                raise
            # A sandboxed shell: the hook reads these lines from the tool call's output.
            for verb in report.verbs:
                click.echo(format_verb(verb))
        click.echo(report.done)

    return call
