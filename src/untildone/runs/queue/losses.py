"""Why a worker gives all of its tasks up, and the exit status that says so."""

import errno
import os
import re
import sqlite3

import sqlalchemy as sa
from msgspec import Struct

from untildone.core.text import to_one_line
from untildone.errors import UserError

# The exit statuses of sysexits.h for "try again" and for "cannot be read or written".
EXIT_LOST = 75
EXIT_UNFIT = 74
# What a database raises that is away, starting, stopping, locked, full or a read-only copy.
AWAY = (
    sa.exc.OperationalError,
    sa.exc.InterfaceError,
    sa.exc.InternalError,
    sa.exc.TimeoutError,
)
_FULL = (errno.ENOSPC, errno.EDQUOT)
# fatal: write error: No space left on device
# Lines of the other side begin with `remote:`; its disk is not ours.
_FULL_TEXT = re.compile(
    rf"^(?!remote:).*(?:{'|'.join(re.escape(os.strerror(number)) for number in _FULL)})",
    re.MULTILINE,
)
_REMEDIES = {
    sqlite3.SQLITE_FULL: "free some space on its disk",
    sqlite3.SQLITE_READONLY: "make the file and its folder writable",
    sqlite3.SQLITE_CANTOPEN: "make the file and its folder writable",
    sqlite3.SQLITE_IOERR: "check its disk and the system's log",
    sqlite3.SQLITE_CORRUPT: "restore the file from a backup",
    sqlite3.SQLITE_NOTADB: "restore the file from a backup",
}


class Loss(Struct, frozen=True, kw_only=True):
    reason: str
    exit_code: int = EXIT_LOST


BURIED = Loss(reason="silent for too long: others have its tasks")


def describe_database_error(error: BaseException) -> str:
    """Return the first line of the driver's own words."""
    cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
    lines = str(cause).strip().splitlines()
    return to_one_line(lines[0] if lines else type(cause).__name__)


def find_remedy(error: BaseException) -> str:
    """Return what the user must do about it; empty if the database may come back by itself."""
    cause = error.orig if isinstance(error, sa.exc.DBAPIError) else None
    # The lowest byte is the kind, the others are its details.
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
    return _REMEDIES.get(code, "")


def find_database_loss(error: BaseException) -> Loss | None:
    """Return the loss if the database cannot come back before the user does something."""
    remedy = find_remedy(error)
    if not remedy:
        return None
    reason = f"the queue cannot be written: {describe_database_error(error)}"
    return Loss(reason=f"{reason}; {remedy}, then start it again", exit_code=EXIT_UNFIT)


def find_full_disk(error: OSError | UserError) -> Loss | None:
    """Return the loss if this machine cannot do any task now: its disk is full or read-only."""
    if isinstance(error, UserError):
        is_full, text = bool(_FULL_TEXT.search(error.message)), error.message
    else:
        is_full, text = error.errno in (*_FULL, errno.EROFS), str(error)
    if not is_full:
        return None
    reason = (
        f"its disk cannot be written: {to_one_line(text)}; free some space, then start it again"
    )
    return Loss(reason=reason, exit_code=EXIT_UNFIT)
