"""A statement in a DSSE envelope, and receipts read back from what was published.

The format: https://github.com/secure-systems-lab/dsse. The signatures are those of `ssh-keygen -Y
sign`, in their armour.
"""

import json
import re

import msgspec
from msgspec import Struct

from untildone.receipts.problem import Problem, RefusedReceiptError
from untildone.receipts.statement import Statement
from untildone.report.receipt import Receipt
from untildone.store.durable_files import DamagedFileError
from untildone.store.encoding import decode

PAYLOAD_TYPE = "application/vnd.in-toto+json"
MAX_SIZE = 16_000_000
_MAX_SIGNATURES = 16
_GIT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class Signature(Struct, frozen=True, kw_only=True):
    """`keyid` is a hint: the fingerprint of the key; `sig` is what `ssh-keygen` printed."""

    sig: bytes
    keyid: str = ""


class Envelope(Struct, frozen=True, kw_only=True, rename={"payload_type": "payloadType"}):
    payload: bytes
    payload_type: str
    signatures: tuple[Signature, ...]


class PublishedReceipt(Struct, frozen=True, kw_only=True):
    """A receipt from a file or a note; without an envelope it is not signed."""

    receipt: Receipt
    envelope: Envelope | None = None


def encode_signed_bytes(payload: bytes, payload_type: str = PAYLOAD_TYPE) -> bytes:
    """Return what is signed: DSSE's pre-authentication encoding of type and payload."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def encode_envelope(payload: bytes, *signatures: Signature) -> bytes:
    envelope = Envelope(payload=payload, payload_type=PAYLOAD_TYPE, signatures=signatures)
    return json.dumps(msgspec.to_builtins(envelope)).encode() + b"\n"


def read_published(data: bytes) -> PublishedReceipt:
    """Return the receipt in an envelope, in a statement, or bare as `receipt.json` has it."""
    try:
        fields = decode(data, dict[str, msgspec.Raw])
        if "payload" in fields:
            return _open_envelope(decode(data, Envelope))
        if "_type" in fields:
            return PublishedReceipt(receipt=_take_receipt(decode(data, Statement)))
        return PublishedReceipt(receipt=_require_git_id(decode(data, Receipt)))
    except DamagedFileError as damage:
        raise _refuse(f"it {damage.reason}") from damage


def _open_envelope(envelope: Envelope) -> PublishedReceipt:
    if envelope.payload_type != PAYLOAD_TYPE:
        raise _refuse(f"its payload is not of the type `{PAYLOAD_TYPE}`")
    if len(envelope.signatures) > _MAX_SIGNATURES:
        raise _refuse(f"it has more than {_MAX_SIGNATURES} signatures")
    receipt = _take_receipt(decode(envelope.payload, Statement))
    return PublishedReceipt(receipt=receipt, envelope=envelope)


def _take_receipt(statement: Statement) -> Receipt:
    """Return the receipt of a statement, whose subject must be the tree that the receipt names."""
    receipt = _require_git_id(statement.predicate.receipt)
    digests = [subject.digest for subject in statement.subject]
    trees = [digest["gitTree"] for digest in digests if "gitTree" in digest]
    if trees != [receipt.git_tree]:
        raise _refuse("its subject is not the git tree that its receipt names")
    return receipt


def _require_git_id(receipt: Receipt) -> Receipt:
    if not _GIT_ID.fullmatch(receipt.git_tree):
        raise _refuse("it names no git tree")
    return receipt


def _refuse(reason: str) -> RefusedReceiptError:
    return RefusedReceiptError(Problem.UNREADABLE, f"this is no receipt to verify: {reason}")
