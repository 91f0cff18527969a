"""A receipt as an in-toto statement: the result of the checks on a git tree.

The formats: https://github.com/in-toto/attestation, Statement v1 and test-result v0.1.
"""

import json
from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from untildone.errors import UserError
from untildone.report.receipt import Receipt
from untildone.store.digest import sha256

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "https://in-toto.io/attestation/test-result/v0.1"
TRAILER = "Untildone-Receipt"

Result: TypeAlias = Literal["PASSED", "WARNED", "FAILED"]


class Subject(Struct, frozen=True, kw_only=True):
    """What the statement is about: `{"gitTree": …}` or `{"gitCommit": …}`."""

    name: str
    digest: dict[str, str]


class Configuration(
    Struct, frozen=True, kw_only=True, omit_defaults=True, rename={"media_type": "mediaType"}
):
    """The contract by its digest, or a check by its command, which is the content."""

    name: str
    digest: dict[str, str] = {}
    content: bytes = b""
    media_type: str = ""


_PREDICATE_JSON = {
    "passed": "passedTests",
    "warned": "warnedTests",
    "failed": "failedTests",
    "receipt": "untildone_receipt",
}


class Predicate(Struct, frozen=True, kw_only=True, rename=_PREDICATE_JSON):
    """The result by check; the whole receipt is an extension field, which others ignore."""

    result: Result
    configuration: tuple[Configuration, ...]
    passed: tuple[str, ...]
    warned: tuple[str, ...]
    failed: tuple[str, ...]
    receipt: Receipt


_STATEMENT_JSON = {"type": "_type", "predicate_type": "predicateType"}


class Statement(Struct, frozen=True, kw_only=True, rename=_STATEMENT_JSON):
    type: Literal["https://in-toto.io/Statement/v1"] = "https://in-toto.io/Statement/v1"
    subject: tuple[Subject, ...]
    predicate_type: Literal["https://in-toto.io/attestation/test-result/v0.1"] = (
        "https://in-toto.io/attestation/test-result/v0.1"
    )
    predicate: Predicate


def build_statement(receipt: Receipt, *, commit: str) -> Statement:
    """Return the statement; `commit` is one that has the receipt's tree, or empty."""
    receipt = make_public(require_tree(receipt))
    subject = [Subject(name="tree", digest={"gitTree": receipt.git_tree})]
    if commit:
        subject.append(Subject(name="commit", digest={"gitCommit": commit}))
    outcomes = {check.name: check.outcome for check in receipt.checks}
    outcomes |= dict.fromkeys(receipt.not_run, "not run")
    return Statement(
        subject=tuple(subject),
        predicate=Predicate(
            result=_rate(receipt),
            configuration=tuple(_list_configuration(receipt)),
            passed=tuple(name for name in outcomes if outcomes[name] == "green"),
            warned=tuple(name for name in outcomes if outcomes[name] == "flaky"),
            failed=tuple(name for name in outcomes if outcomes[name] not in ("green", "flaky")),
            receipt=receipt,
        ),
    )


def require_tree(receipt: Receipt) -> Receipt:
    """Return the receipt; raise UserError if it names no git tree."""
    if receipt.git_tree:
        return receipt
    raise UserError(
        f"the receipt of loop `{receipt.loop}` names no git tree",
        hint="the stop that ends a loop with checks records one, in a git repository whose files"
        " stay as they were judged",
    )


def make_public(receipt: Receipt) -> Receipt:
    """Return the receipt without the session and the folders of the machine that recorded it."""
    return replace(receipt, session="", project="", judged_in="")


def compute_digest(receipt: Receipt) -> str:
    """Return the SHA-256 of the public receipt: JSON in ASCII, keys sorted, without blanks."""
    return sha256(_encode_canonically(make_public(receipt))).hexdigest()


def encode_statement(statement: Statement) -> bytes:
    return _encode_canonically(statement)


def format_trailer(receipt: Receipt) -> str:
    """Return the line of a commit message that names the receipt."""
    tree = require_tree(receipt).git_tree
    ended = receipt.outcome or receipt.status
    return f"{TRAILER}: sha256:{compute_digest(receipt)} {ended} tree:{tree}"


def _encode_canonically(value: Receipt | Statement) -> bytes:
    """Return JSON in ASCII, because a path that is not UTF-8 cannot be encoded otherwise."""
    plain = msgspec.to_builtins(value)
    return json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()


def _rate(receipt: Receipt) -> Result:
    """Return WARNED where the user approved a concern: then it is not all as it was."""
    if receipt.outcome != "done":
        return "FAILED"
    return "WARNED" if any(each.covers for each in receipt.approvals) else "PASSED"


def _list_configuration(receipt: Receipt) -> Iterator[Configuration]:
    yield Configuration(name="contract", digest={"sha256": receipt.contract_sha256})
    for check in receipt.checks:
        command = check.command.encode("utf-8", "replace")
        yield Configuration(name=check.name, content=command, media_type="text/plain")
