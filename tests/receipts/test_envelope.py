"""Published receipts read back; whatever is none is refused with a reason."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts.samples import TREE, make_receipt
from untildone.receipts.envelope import (
    Signature,
    encode_envelope,
    encode_signed_bytes,
    read_published,
)
from untildone.receipts.problem import Problem, RefusedReceiptError
from untildone.receipts.statement import build_statement, encode_statement, make_public
from untildone.report.receipt_text import encode_receipt

PAYLOAD = encode_statement(build_statement(make_receipt(), commit=""))
STATEMENT: dict[str, Any] = json.loads(PAYLOAD)
SIGNED = encode_envelope(PAYLOAD, Signature(sig=b"armour"))
ENVELOPE: dict[str, Any] = json.loads(SIGNED)


def changed(document: dict[str, Any], **fields: Any) -> bytes:  # noqa: ANN401  any JSON
    return json.dumps({**document, **fields}).encode()


def with_subject(*trees: str) -> bytes:
    subject = [{"name": "tree", "digest": {"gitTree": tree}} for tree in trees]
    return changed(STATEMENT, subject=subject)


@pytest.mark.parametrize("data", [SIGNED, PAYLOAD, encode_receipt(make_public(make_receipt()))])
def test_an_envelope_a_statement_and_a_bare_receipt_are_read(data: bytes) -> None:
    published = read_published(data)

    assert published.receipt == make_public(make_receipt())
    assert (published.envelope is not None) == (data == SIGNED)


def test_what_is_signed_is_the_pre_authentication_encoding() -> None:
    # The example of the specification.
    assert encode_signed_bytes(b"hello world", "http://example.com/HelloWorld") == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b"", "does not hold what it should", id="empty"),
        pytest.param(b"[1]", "does not hold what it should", id="another JSON"),
        pytest.param(b"[" * 100_000, "this is no receipt", id="deep"),
        pytest.param(b'{"loop": "1f2e"}', "missing required field", id="part of a receipt"),
        pytest.param(encode_receipt(make_receipt(git_tree="")), "names no git tree", id="no tree"),
        pytest.param(encode_receipt(make_receipt(git_tree="-x")), "no git tree", id="no id"),
        pytest.param(changed(ENVELOPE, payloadType="text/plain"), "not of the type", id="type"),
        pytest.param(
            changed(ENVELOPE, payload="e30="), "missing required field", id="no statement"
        ),
        pytest.param(changed(ENVELOPE, payload="%"), "does not hold", id="no base64"),
        pytest.param(
            changed(ENVELOPE, signatures=ENVELOPE["signatures"] * 17), "than 16", id="many"
        ),
        pytest.param(with_subject(), "its subject is not", id="no subject"),
        pytest.param(with_subject("0" * 40), "its subject is not", id="another subject"),
        pytest.param(with_subject(TREE, "0" * 40), "its subject is not", id="a second subject"),
        pytest.param(changed(STATEMENT, predicateType="x"), "Invalid", id="another predicate"),
    ],
)
def test_what_is_no_receipt_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(RefusedReceiptError, match=reason) as refused:
        read_published(data)

    assert refused.value.problem == Problem.UNREADABLE


@given(st.binary(max_size=60), st.integers(0, len(SIGNED)))
def test_no_bytes_break_the_reader(noise: bytes, at: int) -> None:
    try:
        published = read_published(SIGNED[:at] + noise + SIGNED[at + len(noise) :])
    except RefusedReceiptError:
        return
    assert len(published.receipt.git_tree) in (40, 64)
