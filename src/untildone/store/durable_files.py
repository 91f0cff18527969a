"""Files with a checksum: written atomically, recovered from the previous generation."""

import errno
import os
import re
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TypeVar

from untildone.store.digest import sha256

MAX_FILE_SIZE = 1_000_000

# Raised whenever fields of the state change their names or meaning: a file of another format is
# refused, because its unknown fields would silently be read as defaults.
FORMAT = 2
_ATTEMPTS = 3
_TRANSIENT = (errno.EIO, errno.EINTR)
_FOLDER_SYNC_UNSUPPORTED = (errno.EINVAL, errno.ENOTSUP)
# O_NONBLOCK: opening a FIFO that somebody put there must not wait for its other end.
_SAFE_FLAGS = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)

Value = TypeVar("Value")


class DamagedFileError(Exception):
    """A file exists but is not what we wrote; `reason` says how, after the name of the file."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def prefix(self, subject: str) -> "DamagedFileError":
        """Return the same error with a subject in front of its reason."""
        return type(self)(f"{subject} {self.reason}")


class OtherFormatError(DamagedFileError):
    """The file was written by a version of untildone with another state format."""


def describe_format(version: object) -> str:
    return (
        "was written by another version of untildone"
        f" (state format {version}, this version reads {FORMAT})"
    )


def quote_path(path: Path) -> str:
    """Return the path in backticks, on one line, with unprintable characters escaped."""
    text = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in str(path)
    )
    return f"`{text}`"


def add_checksum(body: bytes, version: int = FORMAT) -> bytes:
    """Return the body after a header line, `untildone-2 <length> <SHA-256>`."""
    digest = sha256(body).hexdigest().encode()
    return b"untildone-%d %d %b\n%b" % (version, len(body), digest, body)


def strip_checksum(data: bytes) -> bytes:
    """Return what `add_checksum` was given; raise DamagedFileError if the header does not fit."""
    if not data:
        raise DamagedFileError("is empty")
    header, _, body = data.partition(b"\n")
    match = re.match(rb"untildone-(\d{1,4}) ", header)
    if match is None:
        raise DamagedFileError("is not a file of untildone")
    version = int(match[1])
    if add_checksum(body, version) != data:
        raise DamagedFileError("is cut off or was altered")
    if version != FORMAT:
        raise OtherFormatError(describe_format(version))
    return body


def open_own(path: Path, flags: int) -> int:
    """Open a regular file that belongs to us, never through a symbolic link."""
    try:
        descriptor = os.open(path, flags | _SAFE_FLAGS, 0o600)
    except OSError as error:
        if path.is_symlink():
            raise DamagedFileError(f"{quote_path(path)} is a symbolic link") from error
        if path.is_dir():
            raise DamagedFileError(f"{quote_path(path)} is not a regular file") from error
        raise
    status = os.fstat(descriptor)
    is_regular = stat.S_ISREG(status.st_mode)
    if is_regular and is_owned(status):
        return descriptor
    os.close(descriptor)
    reason = f"belongs to user {status.st_uid}" if is_regular else "is not a regular file"
    raise DamagedFileError(f"{quote_path(path)} {reason}")


def is_owned(status: os.stat_result) -> bool:
    return sys.platform == "win32" or status.st_uid == os.geteuid()


def read_bounded(path: Path, limit: int = MAX_FILE_SIZE) -> bytes:
    """Return the content, also after a transient error; raise DamagedFileError over the limit."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return _read(path, limit)
        except OSError as error:
            if error.errno not in _TRANSIENT:
                raise
            time.sleep(0.01)
    return _read(path, limit)


def _read(path: Path, limit: int) -> bytes:
    descriptor = open_own(path, os.O_RDONLY)
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        size = os.fstat(descriptor).st_size
        parts = bytearray()
        # The file may grow meanwhile.
        while max(size, len(parts)) <= limit and (part := os.read(file.fileno(), limit + 1)):
            parts += part
    if max(size, len(parts)) > limit:
        raise DamagedFileError(f"{quote_path(path)} is larger than {limit} bytes")
    return bytes(parts)


def write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def stage(path: Path, data: bytes) -> Path:
    """Write the new content beside `path` and wait until the disk has it."""
    staged = _choose_staging_path(path)
    try:
        descriptor = open_own(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            write_all(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except BaseException:
        discard(staged)
        raise
    return staged


def discard(staged: Path) -> None:
    with suppress(OSError):
        staged.unlink(missing_ok=True)


def install(staged: Path, path: Path, *, keep_previous: bool = True) -> None:
    """Move a staged file in place; at every instant one whole file is there."""
    try:
        if keep_previous:
            _keep_previous(path)
        _replace(staged, path)
    except BaseException:
        discard(staged)
        raise
    sync_folder(path.parent)


def write_atomically(path: Path, data: bytes, *, keep_previous: bool = True) -> None:
    install(stage(path, data), path, keep_previous=keep_previous)


def remove_staged(folder: Path) -> None:
    """Remove files staged by writers that were killed; the caller holds the writers' lock."""
    for leftover in folder.glob(".*.new"):
        discard(leftover)


def get_previous_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.previous")


def _choose_staging_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.urandom(8).hex()}.new")


def _keep_previous(path: Path) -> None:
    spare = _choose_staging_path(path)
    try:
        os.link(path, spare)
    except FileNotFoundError:
        return
    except OSError:
        # FAT and some network and FUSE file systems have no hard links.
        spare = stage(path, path.read_bytes())
    try:
        _replace(spare, get_previous_path(path))
    finally:
        # Renaming one hard link of a file over another one leaves both in place.
        discard(spare)


def _replace(source: Path, target: Path) -> None:
    # Windows refuses to replace a file while another process reads it.
    for _ in range(50 if sys.platform == "win32" else 0):
        try:
            source.replace(target)
        except PermissionError:
            time.sleep(0.02)
        else:
            return
    source.replace(target)


def sync_folder(folder: Path) -> None:
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _FOLDER_SYNC_UNSUPPORTED:
            raise
    finally:
        os.close(descriptor)


def read_checked(path: Path, parse: Callable[[bytes], Value]) -> Value:
    data = read_bounded(path)
    try:
        return parse(strip_checksum(data))
    except DamagedFileError as damage:
        raise damage.prefix(quote_path(path)) from damage


def read_or_recover(path: Path, parse: Callable[[bytes], Value]) -> tuple[Value, tuple[str, ...]]:
    """Return the newest whole generation and warnings; the caller holds the writers' lock.

    A damaged file is copied aside and replaced by the previous generation. A missing file is not
    restored: untildone never removes it, so its absence is evidence of tampering.
    """
    previous = get_previous_path(path)
    try:
        return read_checked(path, parse), ()
    except FileNotFoundError:
        if not os.path.lexists(previous):
            raise
        return _read_previous(previous, parse, f"{quote_path(path)} is missing")
    except OtherFormatError:
        # The file is whole: the version that wrote it can still read it.
        raise
    except DamagedFileError as damage:
        aside = _report_copy_aside(path)
        value, warnings = _read_previous(previous, parse, damage.reason)

    def restore() -> None:
        write_atomically(path, read_bounded(previous), keep_previous=False)

    return value, (*warnings, aside, *warn_if_unwritable(path, restore))


def _read_previous(
    previous: Path, parse: Callable[[bytes], Value], damage: str
) -> tuple[Value, tuple[str, ...]]:
    try:
        return read_checked(previous, parse), (f"{damage}; the previous generation is used",)
    except FileNotFoundError:
        raise DamagedFileError(f"{damage} and there is no previous generation") from None
    except DamagedFileError as older:
        raise DamagedFileError(f"{damage} and {older.reason}") from older


def warn_if_unwritable(path: Path, write: Callable[[], object]) -> tuple[str, ...]:
    """Call `write`, and return a warning if the disk refuses."""
    try:
        write()
    except OSError as error:
        return (f"{quote_path(path)} cannot be written: {error.strerror}",)
    return ()


def _report_copy_aside(path: Path) -> str:
    try:
        return f"the damaged file is kept as {quote_path(copy_aside(path))}"
    except OSError as error:
        return f"{quote_path(path)} cannot be kept aside: {error.strerror}"


def copy_aside(path: Path) -> Path:
    """Give a damaged file a second name that is never overwritten."""
    for number in count(1):
        copy = path.with_name(f"{path.name}.corrupt" + (f".{number}" if number > 1 else ""))
        if not os.path.lexists(copy):
            break
        if os.path.samestat(copy.lstat(), path.lstat()):
            return copy
    try:
        os.link(path, copy, follow_symlinks=False)
    except (OSError, NotImplementedError):
        path.rename(copy)
    return copy


def move_aside(path: Path) -> None:
    """Rename a damaged file to a name that is never overwritten."""
    if os.path.lexists(path):
        copy_aside(path)
        path.unlink(missing_ok=True)
