"""Exports the trace of a loop: at its end by a detached process, or at the user's command."""

import importlib.util
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from untildone.config.proposals import load_user_settings
from untildone.config.schema import Otel
from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.extras import describe_extra
from untildone.features.telemetry.spans import build_spans, make_trace_id
from untildone.process import trees
from untildone.report.doctor import Problem, make_note
from untildone.store.durable_files import DamagedFileError, write_atomically
from untildone.store.loops import Record

_FAILED_FILE = "otel-failed.json"
_PATH = "/v1/traces"


class Export(Struct, frozen=True, kw_only=True):
    """What was sent: the loop's trace and how many spans it has."""

    loop: str
    trace_id: str
    spans: int
    endpoint: str


class Failure(Struct, frozen=True, kw_only=True):
    at: str
    loop: str
    text: str


def start_export(context: Context, record: Record) -> tuple[str, ...]:
    """Start a process that sends the trace, if the user asked for it; return warnings.

    A failure here or there does not change how the loop ended.
    """
    try:
        if not load_user_settings(context.home / "config.toml").otel.endpoint:
            return ()
    except UserError as error:
        return (f"the trace is not sent: {error.message}",)
    if importlib.util.find_spec("opentelemetry") is None:
        return (f"the trace is not sent: {describe_extra('otel')}",)
    argv = [sys.executable, "-I", "-m", "untildone", "otel-export", record.contract.id]
    # A repository's settings may set variables of the agent; those of OpenTelemetry are ignored.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    with suppress(OSError):
        trees.start_detached(
            argv, cwd=context.home, env={**kept, "UNTILDONE_HOME": str(context.home)}
        )
    return ()


def export_at_end(context: Context, loop: str) -> None:
    """Send the trace of a loop that has ended; what goes wrong is kept for `doctor`."""
    path = context.home / _FAILED_FILE
    try:
        settings = load_user_settings(context.home / "config.toml").otel
        if settings.endpoint:
            export_loop(context, context.loops.load(loop), settings)
            path.unlink(missing_ok=True)
    except (UserError, DamagedFileError, OSError) as error:
        failure = Failure(at=context.now(), loop=loop, text=str(error))
        write_atomically(path, msgspec.json.encode(failure), keep_previous=False)


def export_loop(context: Context, record: Record, settings: Otel) -> Export:
    """Send the trace of a loop; raise UserError if the collector does not take it."""
    try:
        # Imported where it is used: it is optional, and no hook gets here.
        from untildone.features.telemetry.otlp import export_spans
    except ImportError:
        raise UserError("OpenTelemetry is not installed", hint=describe_extra("otel")) from None
    address = make_traces_address(settings.endpoint)
    history = context.loops.read_history(record)
    spans = build_spans(record, history, with_texts=settings.texts)
    trace = make_trace_id(record)
    if not export_spans(trace, spans, address=address, headers=settings.headers):
        raise UserError(
            f"the collector at `{address}` did not take the trace",
            hint="see whether it listens there for OTLP over HTTP",
        )
    return Export(
        loop=record.contract.id, trace_id=f"{trace:032x}", spans=len(spans), endpoint=address
    )


def make_traces_address(endpoint: str) -> str:
    """Return where traces go: the address of a collector gets the path of the protocol."""
    parts = urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise UserError(
            f"`{endpoint}` is not the address of a collector",
            hint="give one such as `http://localhost:4318`, for OTLP over HTTP",
        )
    return endpoint if parts.path.endswith(_PATH) else f"{endpoint.rstrip('/')}{_PATH}"


def find_problems(context: Context) -> Iterator[Problem]:
    """Yield a note if the last trace could not be sent."""
    with suppress(OSError, msgspec.MsgspecError):
        data = (context.home / _FAILED_FILE).read_bytes()
        failure = msgspec.json.decode(data, type=Failure)
        text = f"the trace of loop {failure.loop} could not be sent at {failure.at}: {failure.text}"
        yield make_note("telemetry", text, f"`untildone otel export {failure.loop}` tries again")


def add_environment(settings: Otel, environ: Mapping[str, str]) -> Otel:
    """Return the settings with the endpoint of the user's own environment where they have none."""
    endpoint = environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", "")
    return settings if settings.endpoint else Otel(endpoint=endpoint, texts=settings.texts)
