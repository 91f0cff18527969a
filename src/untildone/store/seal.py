"""The seal: the contract that was agreed, and whether the loop's files still follow from it."""

from contextlib import suppress
from pathlib import Path

import msgspec

from untildone.core.contract import Contract
from untildone.store import baseline, journal
from untildone.store.digest import sha256
from untildone.store.encoding import convert, decode
from untildone.store.files import (
    DamagedFileError,
    move_aside,
    quote_path,
    read_bounded,
    read_checked,
    strip_checksum,
    write_atomically,
)
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

_SEALING = ("started", "resealed")


def write_contract(folder: Path, contract: Contract) -> tuple[str, dict[str, object]]:
    """Write the file; its SHA-256, and what the journal says of it."""
    data = encode_checked(contract)
    path = folder / CONTRACT
    move_aside(path)
    write_atomically(path, data, keep_previous=False)
    digest = sha256(data).hexdigest()
    return digest, {"sha256": digest, "contract": msgspec.to_builtins(contract)}


def load_contract(folder: Path, digest: str) -> tuple[Contract, tuple[str, ...]]:
    """The contract with this SHA-256: the file, or else the journal's copy and a warning."""
    try:
        return _from_file(folder / CONTRACT, digest), ()
    except DamagedFileError as damage:
        contract = _from_journal(folder / JOURNAL, digest)
        if contract is None:
            raise
        return contract, (f"{damage.reason}; the journal's copy is used",)


def _from_file(path: Path, digest: str) -> Contract:
    data = _contract_bytes(path)
    try:
        contract = decode(strip_checksum(data), Contract)
    except DamagedFileError as damage:
        raise DamagedFileError(f"{quote_path(path)} {damage.reason}") from damage
    if sha256(data).hexdigest() != digest:
        raise DamagedFileError(f"{quote_path(path)} is not the contract that was agreed")
    return contract


def _contract_bytes(path: Path) -> bytes:
    try:
        return read_bounded(path)
    except FileNotFoundError:
        raise DamagedFileError(f"{quote_path(path)} is missing") from None


def _from_journal(path: Path, digest: str) -> Contract | None:
    found = None
    # What comes after a break in the chain proves nothing, what comes before still does.
    with suppress(DamagedFileError):
        for entry in journal.walk_verified(path):
            if entry.kind in _SEALING and entry.data.get("sha256") == digest:
                found = convert(entry.data.get("contract"), Contract)
    return found


def explain_broken_seal(folder: Path, loop_id: str, *, at_least: int = 0) -> str:
    """Why the files cannot be what was agreed and recorded, or nothing; under the loop's lock."""
    try:
        newest = _followed(folder / JOURNAL)
        _from_file(folder / CONTRACT, newest.contract)
        _compare(folder / STATE, loop_id, newest)
        if newest.generation < at_least:
            raise DamagedFileError(
                f"{quote_path(folder / JOURNAL)} ends with generation {newest.generation},"
                f" and {at_least} was recorded"
            )
        baseline.verify_baseline(folder, newest.progress)
    except DamagedFileError as damage:
        return damage.reason
    return ""


def _followed(path: Path) -> State:
    """The state the journal ends with, each entry's following from the one before."""
    newest: State | None = None
    for entry in journal.walk_verified(path):
        state = decode_state(entry)
        if newest is None and entry.kind != "started":
            raise DamagedFileError(f"{quote_path(path)} does not begin with the start")
        if newest is not None and entry.kind not in _SEALING and not _follows(state, newest):
            raise DamagedFileError(
                f"generation {newest.generation + 1} is missing in {quote_path(path)}"
            )
        newest = state
    if newest is None:
        raise DamagedFileError(f"{quote_path(path)} is empty")
    return newest


def choose_sealing_kind(path: Path) -> str:
    """The kind of the entry that seals anew; a journal it cannot follow in is kept aside."""
    try:
        _followed(path)
    except DamagedFileError:
        move_aside(path)
        return "started"
    return "resealed"


def _follows(state: State, before: State) -> bool:
    return state.generation == before.generation + 1 and state.contract == before.contract


def _compare(path: Path, loop_id: str, newest: State) -> None:
    try:
        state = read_checked(path, make_parser(loop_id))
    except FileNotFoundError:
        raise DamagedFileError(f"{quote_path(path)} is missing") from None
    except DamagedFileError:
        # A torn file is the disk's doing as often as anybody's, and the journal outweighs it.
        return
    # One behind is what a writer leaves that was killed between its two steps.
    if newest.generation - state.generation not in (0, 1):
        raise DamagedFileError(describe_mismatch(state, newest))
    if newest.generation == state.generation and newest != state:
        raise DamagedFileError(f"{quote_path(path)} was altered")
