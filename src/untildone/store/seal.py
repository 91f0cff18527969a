"""The seal: the agreed contract, and whether the loop's files still match it."""

from contextlib import suppress
from pathlib import Path

import msgspec

from untildone.core.contract import Contract
from untildone.store import baseline_records, durable_files, journal
from untildone.store.digest import sha256
from untildone.store.durable_files import DamagedFileError, quote_path
from untildone.store.encoding import convert, decode
from untildone.store.state import (
    JOURNAL,
    STATE,
    State,
    decode_state,
    describe_mismatch,
    encode_checked,
    make_parser,
)

CONTRACT = "contract.json"

_SEALING_KINDS = ("started", "resealed")


def write_contract(folder: Path, contract: Contract) -> tuple[str, dict[str, object]]:
    """Write the file, and return its SHA-256 and the data of its journal entry."""
    data = encode_checked(contract)
    path = folder / CONTRACT
    durable_files.move_aside(path)
    durable_files.write_atomically(path, data, keep_previous=False)
    digest = sha256(data).hexdigest()
    return digest, {"sha256": digest, "contract": msgspec.to_builtins(contract)}


def load_contract(folder: Path, digest: str) -> tuple[Contract, tuple[str, ...]]:
    """Return the contract with this SHA-256: from the file, or the journal's copy and a warning."""
    try:
        return _read_contract_file(folder / CONTRACT, digest), ()
    except DamagedFileError as damage:
        contract = _read_contract_from_journal(folder / JOURNAL, digest)
        if contract is None:
            raise
        return contract, (f"{damage.reason}; the journal's copy is used",)


def _read_contract_file(path: Path, digest: str) -> Contract:
    try:
        data = durable_files.read_bounded(path)
    except FileNotFoundError:
        raise DamagedFileError(f"{quote_path(path)} is missing") from None
    try:
        contract = decode(durable_files.strip_checksum(data), Contract)
    except DamagedFileError as damage:
        raise damage.prefix(quote_path(path)) from damage
    if sha256(data).hexdigest() != digest:
        raise DamagedFileError(f"{quote_path(path)} is not the contract that was agreed")
    return contract


def _read_contract_from_journal(path: Path, digest: str) -> Contract | None:
    contract = None
    # Entries before a break in the chain still prove what they say.
    with suppress(DamagedFileError):
        for entry in journal.walk_verified(path):
            if entry.kind in _SEALING_KINDS and entry.data.get("sha256") == digest:
                contract = convert(entry.data.get("contract"), Contract)
    return contract


def explain_broken_seal(folder: Path, loop_id: str, *, at_least: int = 0) -> str:
    """Say how the files differ from what was agreed and recorded; empty if they do not.

    The caller holds the loop's lock.
    """
    try:
        newest = _verify_journal(folder / JOURNAL)
        _read_contract_file(folder / CONTRACT, newest.contract)
        _verify_state(folder / STATE, loop_id, newest)
        if newest.generation < at_least:
            raise DamagedFileError(
                f"{quote_path(folder / JOURNAL)} ends with generation {newest.generation},"
                f" and {at_least} was recorded"
            )
        baseline_records.verify_baseline(folder, newest.progress)
    except DamagedFileError as damage:
        return damage.reason
    return ""


def _verify_journal(path: Path) -> State:
    """Return the journal's last state; raise an error if one does not follow from the previous."""
    newest: State | None = None
    for entry in journal.walk_verified(path):
        state = decode_state(entry)
        if newest is None and entry.kind != "started":
            raise DamagedFileError(f"{quote_path(path)} does not begin with the start")
        if newest and entry.kind not in _SEALING_KINDS:
            expected = newest.generation + 1
            if (state.generation, state.contract) != (expected, newest.contract):
                raise DamagedFileError(f"generation {expected} is missing in {quote_path(path)}")
        newest = state
    if newest is None:
        raise DamagedFileError(f"{quote_path(path)} is empty")
    return newest


def choose_sealing_kind(path: Path) -> str:
    """Return the kind of the next sealing entry, and move a broken journal aside."""
    try:
        _verify_journal(path)
    except DamagedFileError:
        durable_files.move_aside(path)
        return "started"
    return "resealed"


def _verify_state(path: Path, loop_id: str, newest: State) -> None:
    try:
        state = durable_files.read_checked(path, make_parser(loop_id))
    except FileNotFoundError:
        raise DamagedFileError(f"{quote_path(path)} is missing") from None
    except DamagedFileError:
        # A damaged state may be the disk's fault, and the journal outweighs it.
        return
    # A writer that was killed between its two steps leaves the state one behind.
    if newest.generation - state.generation not in (0, 1):
        raise DamagedFileError(describe_mismatch(state, newest))
    if newest.generation == state.generation and newest != state:
        raise DamagedFileError(f"{quote_path(path)} was altered")
