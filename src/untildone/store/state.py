"""A loop's state on the disk: `state.json`, and the journal whose last entry it follows."""

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
from untildone.store import journal
from untildone.store.encoding import convert, decode, encode
from untildone.store.files import (
    MAX_FILE_SIZE,
    DamagedFileError,
    add_checksum,
    discard,
    install,
    quote_path,
    read_checked,
    read_or_recover,
    remove_staged,
    stage,
    write_atomically,
)

STATE = "state.json"
JOURNAL = "journal.jsonl"

_LARGEST = 2**53


class State(Struct, frozen=True, kw_only=True):
    """`generation` grows by one with every save; `contract` is the SHA-256 of its file."""

    loop: str
    generation: Annotated[int, Meta(ge=1, le=_LARGEST)]
    contract: str
    progress: Progress


def encode_checked(value: Contract | State) -> bytes:
    """The bytes of the file; refuses what could not be read back, before it replaces anything."""
    body = encode(value)
    if not _reads_back(body, value):
        raise ValueError(f"{type(value).__name__} holds a number that JSON cannot")
    data = add_checksum(body)
    if len(data) > MAX_FILE_SIZE:
        raise UserError(
            f"the {type(value).__name__.lower()} of the loop takes {len(data)} bytes,"
            f" more than {MAX_FILE_SIZE}",
            hint="put long text into a file and name the file in the task",
        )
    return data


def _reads_back(body: bytes, value: Contract | State) -> bool:
    try:
        return decode(body, type(value)) == value
    except DamagedFileError:
        return False


def make_parser(loop_id: str) -> Callable[[bytes], State]:
    def parse(body: bytes) -> State:
        state = _plausible(decode(body, State))
        if state.loop != loop_id:
            raise DamagedFileError(f"belongs to the loop `{state.loop}`")
        return state

    return parse


def decode_state(entry: journal.Entry) -> State:
    try:
        return _plausible(convert(entry.state, State))
    except DamagedFileError as damage:
        raise DamagedFileError(
            f"the state in entry {entry.n} of the journal {damage.reason}"
        ) from damage


def _plausible(state: State) -> State:
    values = msgspec.structs.astuple(state.progress)
    nested = (inner for value in values if isinstance(value, dict) for inner in value.values())
    counters = (value for value in (*values, *nested) if isinstance(value, int))
    if not all(0 <= counter <= _LARGEST for counter in counters):
        raise DamagedFileError("holds a counter that is out of range")
    return state


def commit(
    folder: Path, state: State, *, kind: str, data: dict[str, object], at: str
) -> tuple[str, ...]:
    """Journal entry and state together, under the loop's lock; what went wrong after the entry.

    The journal is the truth and comes first: its entry carries the whole state, so a reader that
    finds it one ahead of `state.json` catches up, whereas a state without its entry would be a
    round that nothing proves. The new state is on the disk before, so that a full disk refuses
    both; once the entry is there the save has happened, whatever becomes of `state.json`.
    """
    path = folder / STATE
    remove_staged(folder)
    staged = stage(path, encode_checked(state))
    try:
        journal.append(folder / JOURNAL, kind, data=data, at=at, state=msgspec.to_builtins(state))
    except BaseException:
        discard(staged)
        raise
    try:
        install(staged, path)
    except OSError as error:
        return (f"{quote_path(path)} cannot be written: {error.strerror}; the journal has it",)
    return ()


def catch_up(folder: Path, current: State) -> None:
    """Write what only the journal has; under the loop's lock, before the next save.

    A second writer killed between its two steps would leave the state two behind, which is what
    a state that somebody set back looks like.
    """
    path = folder / STATE
    with suppress(DamagedFileError, FileNotFoundError):
        if read_checked(path, make_parser(current.loop)).generation == current.generation - 1:
            write_atomically(path, encode_checked(current))


def read_unlocked(folder: Path, loop_id: str) -> State:
    """The state, read without the lock; raises Damaged where only the lock can tell."""
    # The state first: while somebody saves, the journal may be ahead of it but never behind.
    state = read_checked(folder / STATE, make_parser(loop_id))
    newest = decode_state(journal.read_last(folder / JOURNAL))
    if newest.generation - state.generation not in (0, 1):
        raise DamagedFileError(describe_mismatch(state, newest))
    return newest if newest.generation > state.generation else state


def describe_mismatch(state: State, newest: State) -> str:
    return (
        f"`{STATE}` is of generation {state.generation}, the journal ends with {newest.generation}"
    )


def recover_state(folder: Path, loop_id: str) -> tuple[State, tuple[str, ...]]:
    """The newest state that is whole, and what was wrong; only under the loop's lock."""
    newest, warnings = _from_journal(folder)
    path = folder / STATE
    present = os.path.lexists(path)
    try:
        state, damage = read_or_recover(path, make_parser(loop_id))
    except (DamagedFileError, FileNotFoundError) as error:
        reason = (
            error.reason
            if isinstance(error, DamagedFileError)
            else f"{quote_path(path)} is missing"
        )
        if newest is None:
            raise DamagedFileError(reason) from error
        state, damage = newest, (f"{reason}; the journal's last entry is used",)
    if newest is not None and abs(newest.generation - state.generation) > 1 and not damage:
        warnings = (*warnings, describe_mismatch(state, newest))
    if newest is not None and newest.generation >= state.generation:
        state = newest
    if damage and present:
        warnings = (*warnings, *_mended(path, state))
    return state, (*damage, *warnings)


def _from_journal(folder: Path) -> tuple[State | None, tuple[str, ...]]:
    try:
        return decode_state(journal.read_last(folder / JOURNAL)), ()
    except DamagedFileError as damage:
        return None, (damage.reason,)


def _mended(path: Path, state: State) -> tuple[str, ...]:
    try:
        write_atomically(path, encode_checked(state), keep_previous=False)
    except OSError as error:
        return (f"{quote_path(path)} cannot be written: {error.strerror}",)
    return ()
