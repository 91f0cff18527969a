"""Sends spans by OTLP over HTTP, with OpenTelemetry's own exporter, an optional library.

Importing this module fails where the extra `otel` is not installed.
"""

import logging
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, Status, StatusCode, TraceFlags

from untildone import __version__
from untildone.checks.clean_output import clean
from untildone.features.telemetry.spans import Span, Value

# Spans of one request.
_BATCH = 500
_TIMEOUT_SECONDS = 10
_CODES = {"": StatusCode.UNSET, "ok": StatusCode.OK, "error": StatusCode.ERROR}
_RESOURCE = Resource({"service.name": "untildone", "service.version": __version__})
_SCOPE = InstrumentationScope("untildone", __version__)


def export_spans(
    trace: int, spans: Sequence[Span], *, address: str, headers: Mapping[str, str]
) -> bool:
    """Send the spans of one trace; return whether the collector took all of them."""
    # It logs each retry; what counts is whether the collector took it in the end.
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
    exporter = OTLPSpanExporter(
        endpoint=address, headers=dict(headers) or None, timeout=_TIMEOUT_SECONDS
    )
    readable = [_convert(trace, span) for span in spans]
    batches = (readable[at : at + _BATCH] for at in range(0, len(readable), _BATCH))
    return all(exporter.export(batch) is SpanExportResult.SUCCESS for batch in batches)


def _convert(trace: int, span: Span) -> ReadableSpan:
    return ReadableSpan(
        name=_clean(span.name),
        context=_make_context(trace, span.id),
        parent=_make_context(trace, span.parent) if span.parent else None,
        resource=_RESOURCE,
        instrumentation_scope=_SCOPE,
        attributes={key: _clean_value(value) for key, value in span.attributes.items()},
        status=Status(_CODES[span.status]),
        start_time=span.start,
        end_time=span.end,
    )


def _make_context(trace: int, span: int) -> SpanContext:
    return SpanContext(trace, span, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))


def _clean_value(value: Value) -> Value:
    if isinstance(value, tuple):
        return tuple(map(_clean, value))
    return _clean(value) if isinstance(value, str) else value


@lru_cache(maxsize=10_000)
def _clean(text: str) -> str:
    """Return the text as UTF-8, which a path need not be, without secrets and escapes."""
    return clean(text, environ=os.environ).encode("utf-8", "replace").decode()
