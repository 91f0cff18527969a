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
from untildone.store import journal
from untildone.store.durable_files import (
    FORMAT,
    MAX_FILE_SIZE,
    DamagedFileError,
    OtherFormatError,
    add_checksum,
    describe_format,
    discard,
    install,
    quote_path,
    read_checked,
    read_or_recover,
    remove_staged,
    stage,
    write_atomically,
)
from untildone.store.encoding import convert, decode, encode

STATE = "state.json"
JOURNAL = "journal.jsonl"

_MAX_COUNTER = 2**53


class State(Struct, frozen=True, kw_only=True):
    """`generation` grows by one with every save; `contract` is the SHA-256 of its file."""

    format: int = FORMAT
    loop: str
    generation: Annotated[int, Meta(ge=1, le=_MAX_COUNTER)]
    contract: str
    progress: Progress


def encode_checked(value: Contract | State) -> bytes:
    """The bytes of the file; raises an error for values that could not be read back."""
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
        state = _check_counters(decode(body, State))
        if state.loop != loop_id:
            raise DamagedFileError(f"belongs to the loop `{state.loop}`")
        return state

    return parse


def decode_state(entry: journal.Entry) -> State:
    try:
        # Format 1 did not record its number.
        found = (entry.state or {}).get("format", 1)
        if found != FORMAT:
            raise OtherFormatError(describe_format(found))
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
    """Write journal entry and state; returns warnings. The caller holds the loop's lock.

    The journal comes first and decides: its entry holds the whole state, so a reader that finds it
    one generation ahead of `state.json` catches up, whereas a state without its entry would be a
    round without proof. The new state is staged before, so that a full disk refuses both. Once the
    entry is written the save has happened, even if `state.json` cannot be replaced.
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
    """Write the state that only the journal has, under the loop's lock, before the next save.

    If two writers in a row were killed between their two steps, the state would be two generations
    behind, which looks like a state that was set back by hand.
    """
    path = folder / STATE
    with suppress(DamagedFileError, FileNotFoundError):
        if read_checked(path, make_parser(current.loop)).generation == current.generation - 1:
            write_atomically(path, encode_checked(current))


def read_unlocked(folder: Path, loop_id: str) -> State:
    """The state, read without the lock; raises DamagedFileError where the lock is needed."""
    # The state first: during a save the journal may be ahead of it but never behind.
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
    """The newest whole state, and what was wrong; the caller holds the loop's lock."""
    newest, warnings = _read_journal_state(folder)
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
        warnings = (*warnings, *_rewrite(path, state))
    return state, (*damage, *warnings)


def _read_journal_state(folder: Path) -> tuple[State | None, tuple[str, ...]]:
    try:
        return decode_state(journal.read_last(folder / JOURNAL)), ()
    except DamagedFileError as damage:
        return None, (damage.reason,)


def _rewrite(path: Path, state: State) -> tuple[str, ...]:
    try:
        write_atomically(path, encode_checked(state), keep_previous=False)
    except OSError as error:
        return (f"{quote_path(path)} cannot be written: {error.strerror}",)
    return ()
