"""The state of a loop on disk: `state.json`, and the journal's last entry that holds the same."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from untildone.core.contract import Contract
from untildone.core.progress import Progress
from untildone.errors import UserError
from untildone.store import durable_files, journal
from untildone.store.durable_files import DamagedFileError, quote_path
from untildone.store.encoding import convert, decode, encode

STATE = "state.json"
JOURNAL = "journal.jsonl"

_MAX_COUNTER = 2**53


class State(Struct, frozen=True, kw_only=True):
    """`generation` grows by one with every save; `contract` is the SHA-256 of its file."""

    format: int = durable_files.FORMAT
    loop: str
    generation: Annotated[int, Meta(ge=1, le=_MAX_COUNTER)]
    contract: str
    progress: Progress


def encode_checked(value: Contract | State) -> bytes:
    """Return the bytes of the file; raise an error for values that could not be read back."""
    body = encode(value)
    if not _reads_back(body, value):
        raise ValueError(f"{type(value).__name__} holds a number that JSON cannot")
    data = durable_files.add_checksum(body)
    if len(data) > durable_files.MAX_FILE_SIZE:
        raise UserError(
            f"the {type(value).__name__.lower()} of the loop takes {len(data)} bytes,"
            f" more than {durable_files.MAX_FILE_SIZE}",
            hint="put long text into a file and name the file in the task",
        )
    return data


def _reads_back(body: bytes, value: Contract | State) -> bool:
    try:
        return decode(body, type(value)) == value
    except DamagedFileError:
        return False


def make_parser(loop_id: str) -> Callable[[bytes], State]:
    """Return a function that parses a state and refuses one of another loop."""

    def parse(body: bytes) -> State:
        state = _check_counters(decode(body, State))
        if state.loop != loop_id:
            raise DamagedFileError(f"belongs to the loop `{state.loop}`")
        return state

    return parse


def decode_state(entry: journal.Entry) -> State:
    try:
        # Format 1 did not record its number.
        version = (entry.state or {}).get("format", 1)
        if version != durable_files.FORMAT:
            raise durable_files.OtherFormatError(durable_files.describe_format(version))
        return _check_counters(convert(entry.state, State))
    except DamagedFileError as damage:
        raise damage.prefix(f"the state in entry {entry.n} of the journal") from damage


def _check_counters(state: State) -> State:
    values = msgspec.structs.astuple(state.progress)
    nested = (inner for value in values if isinstance(value, dict) for inner in value.values())
    counters = (value for value in (*values, *nested) if isinstance(value, int))
    if not all(0 <= counter <= _MAX_COUNTER for counter in counters):
        raise DamagedFileError("holds a counter that is out of range")
    return state


def commit(
    folder: Path, state: State, *, kind: str, data: dict[str, object], at: str
) -> tuple[str, ...]:
    """Write journal entry and state, and return warnings. The caller holds the loop's lock.

    The journal comes first and decides: its entry holds the whole state, so a reader that finds it
    one generation ahead of `state.json` catches up, whereas a state without its entry would be a
    round without proof. The new state is staged before, so that a full disk refuses both. Once the
    entry is written the save has happened, even if `state.json` cannot be replaced.
    """
    path = folder / STATE
    durable_files.remove_staged(folder)
    staged = durable_files.stage(path, encode_checked(state))
    try:
        journal.append(folder / JOURNAL, kind, data=data, at=at, state=msgspec.to_builtins(state))
    except BaseException:
        durable_files.discard(staged)
        raise
    warnings = durable_files.warn_if_unwritable(path, lambda: durable_files.install(staged, path))
    return tuple(f"{warning}; the journal has it" for warning in warnings)


def catch_up(folder: Path, current: State) -> None:
    """Write the state that only the journal has, under the loop's lock, before the next save.

    If two writers in a row were killed between their two steps, the state would be two generations
    behind, which looks like a state that was set back by hand.
    """
    path = folder / STATE
    with suppress(DamagedFileError, FileNotFoundError):
        known = durable_files.read_checked(path, make_parser(current.loop))
        if known.generation == current.generation - 1:
            durable_files.write_atomically(path, encode_checked(current))


def read_unlocked(folder: Path, loop_id: str) -> tuple[State, bool]:
    """Return the state, and whether `state.json` is behind it; read without the lock.

    Raises DamagedFileError where the lock is needed.
    """
    # The state first: during a save the journal may be ahead of it but never behind.
    state = durable_files.read_checked(folder / STATE, make_parser(loop_id))
    newest = decode_state(journal.read_last(folder / JOURNAL))
    if newest.generation - state.generation not in (0, 1):
        raise DamagedFileError(describe_mismatch(state, newest))
    is_behind = newest.generation > state.generation
    return newest if is_behind else state, is_behind


def describe_mismatch(state: State, newest: State) -> str:
    return (
        f"`{STATE}` is of generation {state.generation}, the journal ends with {newest.generation}"
    )


def recover_state(folder: Path, loop_id: str) -> tuple[State, tuple[str, ...]]:
    """Return the newest whole state and warnings; the caller holds the loop's lock."""
    newest: State | None = None
    warnings: tuple[str, ...] = ()
    try:
        newest = decode_state(journal.read_last(folder / JOURNAL))
    except DamagedFileError as damage:
        warnings = (damage.reason,)
    path = folder / STATE
    is_present = os.path.lexists(path)
    state, damages = _read_state_or(newest, path, loop_id)
    if newest and abs(newest.generation - state.generation) > 1 and not damages:
        warnings = (*warnings, describe_mismatch(state, newest))
    if newest and newest.generation >= state.generation:
        state = newest
    if damages and is_present:
        data = encode_checked(state)
        warnings += durable_files.warn_if_unwritable(
            path, lambda: durable_files.write_atomically(path, data, keep_previous=False)
        )
    return state, (*damages, *warnings)


def _read_state_or(newest: State | None, path: Path, loop_id: str) -> tuple[State, tuple[str, ...]]:
    """Return the state of the file or its previous generation, else the journal's newest."""
    try:
        return durable_files.read_or_recover(path, make_parser(loop_id))
    except FileNotFoundError:
        reason = f"{quote_path(path)} is missing"
    except DamagedFileError as damage:
        reason = damage.reason
    if newest is None:
        raise DamagedFileError(reason)
    return newest, (f"{reason}; the journal's last entry is used",)
