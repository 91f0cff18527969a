"""`untildone otel export`: sends a loop as an OpenTelemetry trace."""

from pathlib import Path

import click
from msgspec.structs import replace

from untildone.cli import loops, options
from untildone.cli.authority import require_user_of_machine
from untildone.cli.command_group import CommandGroup
from untildone.config.proposals import load_user_settings
from untildone.config.schema import Otel
from untildone.engine.context import Context
from untildone.errors import UserError

_COMMANDS = {"export": ("otel", "Send a loop as a trace.")}


@click.group("otel", cls=CommandGroup, table=_COMMANDS)
def otel_command() -> None:
    """Send loops as OpenTelemetry traces to a collector of yours.

    \b
    untildone otel export
    """


@click.command("export")
@options.loop_argument
@click.option(
    "--endpoint",
    metavar="URL",
    help="The collector; else `[otel]` in config.toml, or OTEL_EXPORTER_OTLP_ENDPOINT.",
)
@options.project_option
@options.json_option
def export_command(
    loop: str | None, *, endpoint: str | None, project: Path | None, as_json: bool
) -> None:
    """Send a loop as a trace; sent again, it replaces what was sent before.

    \b
    untildone otel export                 this project's loop, or its last one
    untildone otel export 1f2e --endpoint http://localhost:4318
    """
    # Imported here: the help of the command does not need it.
    from untildone.features.telemetry.detached_export import export_loop

    context = loops.open_context()
    require_user_of_machine(context, "otel")
    settings = _load_settings(context, endpoint)
    sent = export_loop(context, loops.choose_loop_to_show(context, loop, project), settings)
    line = f"loop {sent.loop}: {sent.spans} spans of trace {sent.trace_id} sent to {sent.endpoint}"
    options.print_report(sent, [line], as_json=as_json)


def _load_settings(context: Context, endpoint: str | None) -> Otel:
    """Return where to send; raise UserError if nothing says so."""
    from untildone.features.telemetry.detached_export import add_environment

    path = context.home / "config.toml"
    settings = add_environment(load_user_settings(path).otel, context.environ)
    settings = replace(settings, endpoint=endpoint) if endpoint else settings
    if not settings.endpoint:
        raise UserError(
            "no collector is configured",
            hint=f"give `--endpoint URL`, or add `[otel]` and `endpoint` to `{path}`",
        )
    return settings
