"""The append-only journal: one JSON object per line, each with the hash of the previous one.

`{"n":2,"at":"…","kind":"round","data":{…},"state":{…},"previous":"5d…","hash":"c1…"}`
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, BinaryIO

from msgspec import Meta, Struct

from untildone.core.late_patterns import compile_late
from untildone.store.digest import sha256
from untildone.store.durable_files import (
    DamagedFileError,
    open_own,
    quote_path,
    sync_folder,
    write_all,
)
from untildone.store.encoding import decode, encode

MAX_LINE = 16_000_000
FIRST_HASH = "0" * 64

_WINDOW = 65_536
# How much of a journal's end is searched first for the newest entry of a kind.
_TAIL = 4_000_000
# The kind stands before the data: `{"n":2,"at":"…","kind":"round",`.
_HEAD = 120
_HASH = compile_late(rb',"hash":"([0-9a-f]{64})"\}$')


class Entry(Struct, frozen=True, kw_only=True):
    """`state` is the whole state after this entry, from which a reader can recover."""

    n: Annotated[int, Meta(ge=1)]
    at: str
    kind: str
    data: dict[str, object]
    state: dict[str, object] | None = None
    previous: str
    hash: str


def append(
    path: Path,
    kind: str,
    *,
    data: dict[str, object],
    at: str,
    state: dict[str, object] | None = None,
) -> Entry:
    """Add an entry and wait until the disk has it; the caller holds the loop's lock."""
    descriptor = open_own(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    with os.fdopen(descriptor, "r+b", buffering=0) as file:
        last = _repair_end(file, path)
        content = {
            "n": last.n + 1 if last else 1,
            "at": at,
            "kind": kind,
            "data": data,
            "state": state,
            "previous": last.hash if last else FIRST_HASH,
        }
        line = _encode_line(content)
        _write_or_undo(file, line)
    if last is None:
        sync_folder(path.parent)
    return decode(line, Entry)


def _encode_line(content: dict[str, object]) -> bytes:
    body = encode(content)
    line = b'%b,"hash":"%b"}\n' % (body[:-1], sha256(body).hexdigest().encode())
    if len(line) > MAX_LINE:
        # Readers refuse longer lines, so they must not be written.
        raise ValueError(f"a journal entry of {len(line)} bytes is longer than {MAX_LINE}")
    return line


def _write_or_undo(file: BinaryIO, line: bytes) -> None:
    size = os.fstat(file.fileno()).st_size
    try:
        write_all(file.fileno(), line)
        os.fsync(file.fileno())
    except OSError:
        with suppress(OSError):
            os.ftruncate(file.fileno(), size)
        raise


def _repair_end(file: BinaryIO, path: Path) -> Entry | None:
    """Return the last whole entry, and move aside what a crash left after it."""
    while True:
        line, end = _read_last_line(file, path)
        if end < os.fstat(file.fileno()).st_size:
            _move_rest_aside(file, path, end)
        if not line:
            return None
        try:
            return _verify_line(line)
        except DamagedFileError:
            _move_rest_aside(file, path, end - len(line))


def _move_rest_aside(file: BinaryIO, path: Path, start: int) -> None:
    file.seek(start)
    torn = file.read(MAX_LINE)
    descriptor = open_own(path.with_suffix(".torn"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        write_all(descriptor, torn.removesuffix(b"\n") + b"\n")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.ftruncate(file.fileno(), start)


def _read_last_line(file: BinaryIO, path: Path) -> tuple[bytes, int]:
    """Return the last line with its newline, and the offset of its end; read backwards."""
    size = os.fstat(file.fileno()).st_size
    window = _WINDOW
    while True:
        offset = file.seek(max(0, size - window))
        tail = file.read(window)
        end = tail.rfind(b"\n") + 1
        start = tail.rfind(b"\n", 0, max(0, end - 1)) + 1
        if start or window >= size:
            return tail[start:end], offset + end
        if window > 2 * MAX_LINE:
            raise DamagedFileError(
                f"{quote_path(path)} ends in a line longer than {MAX_LINE} bytes"
            )
        window *= 4


def _verify_line(line: bytes) -> Entry:
    body = line.removesuffix(b"\n")
    match = _HASH.search(body)
    if match is None:
        raise DamagedFileError("is not an entry")
    digest = sha256(body[: match.start()] + b"}").hexdigest()
    if digest.encode() != match[1]:
        raise DamagedFileError("was altered")
    return decode(body, Entry)


def read_last(path: Path) -> Entry:
    """Return the last whole entry, without reading the others."""
    with _open_journal(path) as file:
        line, _ = _read_last_line(file, path)
    if not line:
        raise DamagedFileError(f"{quote_path(path)} is empty")
    try:
        return _verify_line(line)
    except DamagedFileError as damage:
        raise damage.prefix(f"the last entry of {quote_path(path)}") from damage


def read_newest(path: Path, kind: str, *, tail: int = _TAIL) -> Entry | None:
    """Return the newest entry of this kind, or None; usually only the journal's end is read."""
    mark = b'"kind":"%b"' % kind.encode()
    with _open_journal(path) as file:
        size = os.fstat(file.fileno()).st_size
        start = file.seek(max(0, size - tail))
        lines = file.read(tail).split(b"\n")
        # The last part has no newline, and the first may be the end of a longer line.
        whole = lines[1:-1] if start else lines[:-1]
        found = next((line for line in reversed(whole) if mark in line[:_HEAD]), b"")
        if start and not found:
            file.seek(0)
            for line in _iterate_lines(file, path):
                found = line if mark in line[:_HEAD] else found
    return decode(found, Entry) if found else None


def read_entries(path: Path) -> tuple[Entry, ...]:
    """Return every entry, without verifying the chain of hashes."""
    return tuple(_walk(path, lambda line: decode(line, Entry)))


def walk_verified(path: Path) -> Iterator[Entry]:
    """Yield every entry in order; raise DamagedFileError at the first break in the chain."""
    previous = FIRST_HASH
    for n, entry in enumerate(_walk(path, _verify_line), 1):
        if entry.n != n:
            raise DamagedFileError(f"entry {n} of {quote_path(path)} is missing")
        if entry.previous != previous:
            raise DamagedFileError(
                f"entry {n} of {quote_path(path)} does not follow from the one before"
            )
        previous = entry.hash
        yield entry


def _walk(path: Path, parse: Callable[[bytes], Entry]) -> Iterator[Entry]:
    with _open_journal(path) as file:
        for n, line in enumerate(_iterate_lines(file, path), 1):
            try:
                yield parse(line)
            except DamagedFileError as damage:
                raise damage.prefix(f"entry {n} of {quote_path(path)}") from damage


def _iterate_lines(file: BinaryIO, path: Path) -> Iterator[bytes]:
    """Yield the complete lines; a last line without a newline was never finished."""
    while (line := file.readline(MAX_LINE + 1)).endswith(b"\n"):
        yield line
    if len(line) > MAX_LINE:
        raise DamagedFileError(f"{quote_path(path)} has a line longer than {MAX_LINE} bytes")


@contextmanager
def _open_journal(path: Path) -> Iterator[BinaryIO]:
    try:
        descriptor = open_own(path, os.O_RDONLY)
    except FileNotFoundError:
        raise DamagedFileError(f"{quote_path(path)} is missing") from None
    with os.fdopen(descriptor, "rb") as file:
        yield file
