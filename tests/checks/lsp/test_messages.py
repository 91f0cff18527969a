"""Decoding of valid and invalid messages of servers."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from untildone.checks.findings import Diagnostic
from untildone.checks.lsp.documents import parse_file_uri
from untildone.checks.lsp.messages import (
    LONGEST_TEXT,
    Incoming,
    InitializeResult,
    ProtocolError,
    PublishedDiagnostics,
    decode,
    make_diagnostics,
)

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
PLACE = {"start": {"line": 4, "character": 0}, "end": {"line": 4, "character": 1}}


def parse_published(*reported: object) -> list[Diagnostic]:
    params = json.dumps({"uri": "file:///a.py", "diagnostics": reported}).encode()
    reported_diagnostics = decode(Raw(params), PublishedDiagnostics).diagnostics
    return list(make_diagnostics("a.py", reported_diagnostics, prefix="TS"))


@given(st.binary() | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_message_is_read_or_refused(message: bytes) -> None:
    try:
        incoming = decode(message, Incoming)
        decode(incoming.params, PublishedDiagnostics)
    except ProtocolError:
        return


@given(JSON)
def test_a_diagnostic_in_the_noise_is_found(noise: object) -> None:
    known = {"range": {**PLACE, "more": noise}, "message": "wrong", "data": noise, "tags": noise}

    assert parse_published(known) == [Diagnostic(path="a.py", line=5, text="wrong")]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"severity": 1}, Diagnostic(path="a.py", line=5, text="wrong")),
        ({"severity": 2}, Diagnostic(path="a.py", line=5, text="wrong", severity="warning")),
        ({"severity": 3}, Diagnostic(path="a.py", line=5, text="wrong", severity="info")),
        ({"severity": 9}, Diagnostic(path="a.py", line=5, text="wrong", severity="info")),
        ({"code": 2322}, Diagnostic(path="a.py", line=5, code="TS2322", text="wrong")),
        ({"code": "F401"}, Diagnostic(path="a.py", line=5, code="F401", text="wrong")),
        ({"code": "\x1b[31mE\x07"}, Diagnostic(path="a.py", line=5, code="E", text="wrong")),
        ({"message": "a\nb"}, Diagnostic(path="a.py", line=5, text="a")),
        ({"message": "\n\x1b]0;t\x07\u202e b"}, Diagnostic(path="a.py", line=5, text="b")),
        ({"message": ""}, Diagnostic(path="a.py", line=5, text="")),
        (
            {"message": "x" * 100_000},
            Diagnostic(path="a.py", line=5, text="x" * LONGEST_TEXT),
        ),
        (
            {"range": {"start": {"line": 10**30}}},
            Diagnostic(path="a.py", line=10**9, text="wrong"),
        ),
        ({"range": {"start": {"line": -5}}}, Diagnostic(path="a.py", line=1, text="wrong")),
    ],
)
def test_one_diagnostic(fields: dict[str, object], expected: Diagnostic) -> None:
    assert parse_published({"range": PLACE, "message": "wrong", **fields}) == [expected]


def test_hints_to_the_editor_are_no_findings() -> None:
    assert parse_published({"range": PLACE, "message": "not accessed", "severity": 4}) == []


@pytest.mark.parametrize(
    "message",
    [b"", b"[]", b"nonsense", b'{"id": {}}', b"\xff", b"[" * 10**6, b'{"params":' + b"[" * 10**6],
    ids=lambda message: message[:12],
)
def test_what_is_no_message_is_refused(message: bytes) -> None:
    with pytest.raises(ProtocolError, match="sent a message that cannot be read: "):
        decode(message, Incoming)


@pytest.mark.parametrize(
    ("offered", "pulls"), [("{}", True), ("true", True), ("false", False), ("null", False)]
)
def test_a_server_says_whether_it_is_to_be_asked(offered: str, pulls: bool) -> None:
    greeting = f'{{"capabilities": {{"diagnosticProvider": {offered}}}}}'.encode()

    assert decode(Raw(greeting), InitializeResult).pulls is pulls


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("file:///a%20b/c%23d.py", "/a b/c#d.py"),
        ("untitled:1", "None"),
        ("file://[", "None"),
        ("", "None"),
    ],
)
def test_the_file_a_server_means(uri: str, expected: str) -> None:
    assert str(parse_file_uri(uri)) == expected
