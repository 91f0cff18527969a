"""What a receipt is verified for: signature, tree, outcome, checks, and the loop's own journal."""

from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict

from untildone.core.text import to_one_line
from untildone.errors import UserError
from untildone.receipts.envelope import PublishedReceipt, encode_signed_bytes
from untildone.receipts.problem import Problem, RefusedReceiptError
from untildone.receipts.signatures import find_signer
from untildone.receipts.statement import make_public
from untildone.report.receipt import Receipt, build_receipt
from untildone.store.durable_files import DamagedFileError
from untildone.store.history import build_history
from untildone.store.loops import Loops, Record
from untildone.store.state import decode_state

_DIGITS = 12


class Demands(Struct, frozen=True, kw_only=True):
    """What must hold; `revision` is how the user names the tree."""

    tree: str
    revision: str
    # Allowed signers or a public key; None: the signature is not looked at.
    signers: Path | None = None
    needs_signature: bool = True
    needs_done: bool = False
    # Commands of checks that must be green.
    commands: tuple[str, ...] = ()


def verify_published(published: PublishedReceipt, demands: Demands) -> str:
    """Return who signed the receipt, if it is signed; raise RefusedReceiptError if it is refused.

    The signature comes first: nothing else of a forged receipt is worth a word.
    """
    signer = _verify_signature(published, demands)
    verify_content(published.receipt, demands)
    return signer


def verify_content(receipt: Receipt, demands: Demands) -> None:
    if receipt.git_tree != demands.tree:
        raise RefusedReceiptError(
            Problem.TREE,
            f"it is of the tree {receipt.git_tree[:_DIGITS] or '(none)'}, and"
            f" `{demands.revision}` has the tree {demands.tree[:_DIGITS]}",
        )
    if demands.needs_done and receipt.outcome != "done":
        ended = receipt.outcome or receipt.status
        raise RefusedReceiptError(Problem.OUTCOME, f"its loop is not done: {ended}")
    green = {check.command for check in receipt.checks if check.outcome == "green"}
    for command in demands.commands:
        if command not in green:
            raise RefusedReceiptError(
                Problem.CHECK, f"`{to_one_line(command)}` is not among its green checks"
            )


def _verify_signature(published: PublishedReceipt, demands: Demands) -> str:
    envelope = published.envelope
    if envelope is None or not envelope.signatures:
        if demands.needs_signature:
            raise RefusedReceiptError(Problem.UNSIGNED, "it is not signed")
        return ""
    if demands.signers is None:
        if demands.needs_signature:
            raise RefusedReceiptError(Problem.SIGNATURE, "no key is given to verify its signature")
        return ""
    data = encode_signed_bytes(envelope.payload, envelope.payload_type)
    refusals = []
    for signature in envelope.signatures:
        try:
            return find_signer(data, signature.sig, demands.signers)
        except RefusedReceiptError as refusal:
            refusals.append(refusal)
    raise refusals[0]


def verify_against_journal(receipt: Receipt, loops: Loops) -> bool:
    """Say whether the loop is on this machine; raise RefusedReceiptError if its files disagree."""
    try:
        record = loops.load(receipt.loop)
    except UserError:
        return False
    except DamagedFileError as damage:
        raise RefusedReceiptError(Problem.JOURNAL, damage.reason) from damage
    verify_seal(receipt.loop, loops)
    recorded = _rebuild(receipt, record, loops)
    if recorded.contract_sha256 != receipt.contract_sha256:
        raise RefusedReceiptError(Problem.CONTRACT, "its contract is not the one of the loop")
    ours, theirs = asdict(make_public(recorded)), asdict(make_public(receipt))
    different = [name for name in ours if ours[name] != theirs[name]]
    if different:
        raise RefusedReceiptError(
            Problem.JOURNAL, f"it differs from the loop's journal in {', '.join(different)}"
        )
    return True


def verify_seal(loop: str, loops: Loops) -> None:
    """Raise RefusedReceiptError if contract, state or journal are not as they were written."""
    if broken := loops.explain_broken_seal(loop):
        raise RefusedReceiptError(Problem.JOURNAL, broken)


def _rebuild(receipt: Receipt, record: Record, loops: Loops) -> Receipt:
    """Return the receipt as it was when the journal ended with the entry that it names."""
    entries = loops.read_journal(receipt.loop)[: max(0, receipt.journal_entries)]
    if not entries or (entries[-1].n, entries[-1].hash) != (
        receipt.journal_entries,
        receipt.journal_hash,
    ):
        raise RefusedReceiptError(
            Problem.JOURNAL, "the loop's journal does not have the entry that it names"
        )
    state = decode_state(entries[-1])
    past = Record(contract=record.contract, progress=state.progress, generation=state.generation)
    return build_receipt(past, build_history(entries))
