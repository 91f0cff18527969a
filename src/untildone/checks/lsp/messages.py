"""Messages of the Language Server Protocol, with only the fields that we use."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import msgspec
from msgspec import Raw, Struct

from untildone.checks.clean_output import clean
from untildone.checks.findings import Diagnostic
from untildone.core.check_results import Severity

LONGEST_TEXT = 500

# DiagnosticSeverity of the specification; 4 is a hint for editors, no finding.
_SEVERITIES: dict[int, Severity] = {1: "error", 2: "warning", 3: "info"}
_HINT = 4

Value = TypeVar("Value")


class ProtocolError(Exception):
    """A message that breaks the protocol."""


class ResponseError(Struct, frozen=True):
    code: int = 0
    message: str = ""


class Incoming(Struct, frozen=True):
    """A request (`method` and `id`), a notification (`method`) or a response (`id`)."""

    id: int | str | None = None
    method: str = ""
    params: Raw = Raw(b"null")
    result: Raw = Raw(b"null")
    error: ResponseError | None = None


class _Position(Struct, frozen=True):
    line: int


class _Range(Struct, frozen=True):
    start: _Position


class ServerDiagnostic(Struct, frozen=True):
    """A diagnostic of the protocol; lines count from 0."""

    range: _Range
    message: str
    severity: int | None = None
    code: int | str | None = None


class PublishedDiagnostics(Struct, frozen=True):
    uri: str
    diagnostics: list[ServerDiagnostic]
    version: int | None = None


class PulledDiagnostics(Struct, frozen=True):
    items: list[ServerDiagnostic] = []


class _Item(Struct, frozen=True):
    section: str | None = None


class ConfigurationRequest(Struct, frozen=True):
    """The sections of the settings that a server asks for."""

    items: list[_Item] = []

    @property
    def sections(self) -> list[str]:
        return [item.section or "" for item in self.items]


class _Registration(Struct, frozen=True):
    method: str = ""


class RegisteredCapabilities(Struct, frozen=True):
    """Capabilities that a server announces after its start."""

    registrations: list[_Registration] = []

    @property
    def methods(self) -> set[str]:
        return {registration.method for registration in self.registrations}


class _ProgressValue(Struct, frozen=True):
    kind: str = ""


class ProgressNotification(Struct, frozen=True):
    token: int | str
    value: _ProgressValue = _ProgressValue()


class _Capabilities(Struct, frozen=True, rename={"pull": "diagnosticProvider"}):
    pull: Raw = Raw(b"null")


class InitializeResult(Struct, frozen=True):
    """The server's answer to `initialize`; `pulls` if it wants to be asked for diagnostics."""

    capabilities: _Capabilities = _Capabilities()

    @property
    def pulls(self) -> bool:
        return bytes(self.capabilities.pull).strip() not in (b"null", b"false")


def decode(data: bytes | Raw, kind: type[Value]) -> Value:
    """Decode a message, or a part of it that was left undecoded."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ProtocolError(f"sent a message that cannot be read: {error}") from error


def encode(**fields: object) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", **fields})


def make_diagnostics(
    path: str,
    reported: Iterable[ServerDiagnostic],
    *,
    prefix: str,
    rate: Callable[[str], Severity] | None = None,
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics without hints.

    `prefix` is added to numeric codes; `rate` maps a code to a severity instead of the server's.
    """
    return tuple(
        Diagnostic(
            path=path,
            line=min(max(diagnostic.range.start.line + 1, 1), 10**9),
            code=(code := _make_code(diagnostic.code, prefix)),
            severity=rate(code) if rate else _SEVERITIES.get(diagnostic.severity or 1, "info"),
            text=shorten_message(diagnostic.message),
        )
        for diagnostic in reported
        if diagnostic.severity != _HINT
    )


def _make_code(code: int | str | None, prefix: str) -> str:
    if code is None:
        return ""
    return f"{prefix}{code}" if isinstance(code, int) else clean(code[:LONGEST_TEXT])


def shorten_message(message: str) -> str:
    """Return the first line; the following ones only explain it, and change more often."""
    # Cut first, because cleaning a very long message is slow.
    lines: Sequence[str] = clean(message[: 4 * LONGEST_TEXT]).strip().splitlines()
    return lines[0][:LONGEST_TEXT] if lines else ""
