"""The state folder: where it is, and whether it is safe to use."""

import errno
import os
import re
import stat
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from untildone.errors import UserError
from untildone.store.durable_files import discard, is_owned, open_own, quote_path
from untildone.store.lock import try_lock

_HINT = "set `UNTILDONE_HOME` to a folder of your own on a local disk"
_VOLATILE = frozenset(
    {"tmpfs", "ramfs", "devtmpfs", "rootfs", "overlay", "aufs", "fuse.overlayfs", "fuse-overlayfs"}
)
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_LOCKS_UNSUPPORTED = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL)


def find_state_home(environ: Mapping[str, str], *, platform: str = sys.platform) -> Path:
    chosen = environ.get("UNTILDONE_HOME", "")
    if chosen:
        return _require_absolute(chosen)
    if platform == "win32":
        local = environ.get("LOCALAPPDATA", "")
        return (
            Path(local or Path(environ.get("USERPROFILE", "~")).expanduser() / "AppData/Local")
            / "untildone"
        )
    state = environ.get("XDG_STATE_HOME", "")
    # The XDG specification says to ignore relative paths.
    if state and Path(state).is_absolute():
        return Path(state) / "untildone"
    return Path(environ.get("HOME", "") or Path.home()) / ".local" / "state" / "untildone"


def _require_absolute(chosen: str) -> Path:
    path = Path(chosen)
    if not path.is_absolute():
        # Hooks run in the agent's current folder: a relative path would mean another one each time.
        raise UserError(
            f"`UNTILDONE_HOME` is {quote_path(path)}, which is not an absolute path",
            hint=f"set it to {quote_path(path.absolute())}",
        )
    return path


def prepare_home(home: Path, *, seize: Callable[[int], bool] = try_lock) -> None:
    """Create the folder, or raise an error that says why it cannot be used."""
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError:
        # It is a dangling link or a file; the next check says which.
        pass
    except OSError as error:
        raise _make_error(home, f"cannot be made: {error.strerror}") from error
    _refuse_foreign(home)
    _close_to_others(home)
    _probe(home, seize)


def check_home(home: Path) -> None:
    """Refuse an existing folder that cannot be ours; a missing one is fine."""
    try:
        home.lstat()
    except FileNotFoundError:
        return
    except OSError as error:
        raise _make_error(home, f"cannot be read: {error.strerror}") from error
    _refuse_foreign(home)
    if not os.access(home, os.R_OK | os.X_OK):
        raise _make_error(home, "cannot be read: Permission denied")


def _refuse_foreign(home: Path) -> None:
    status = home.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise UserError(
            f"the state folder {quote_path(home)} is a symbolic link",
            hint=f"set `UNTILDONE_HOME` to the folder it points to, {quote_path(home.resolve())}",
        )
    if not stat.S_ISDIR(status.st_mode):
        raise _make_error(home, "is not a folder")
    if not is_owned(status):
        raise _make_error(home, f"belongs to user {status.st_uid}")


def _close_to_others(home: Path) -> None:
    if sys.platform == "win32" or not stat.S_IMODE(home.stat().st_mode) & 0o077:
        return
    try:
        home.chmod(0o700)
    except OSError as error:
        raise _make_error(home, f"is open to others: {error.strerror}") from error
    # Mounted Windows disks accept a chmod and ignore it.
    if home.stat().st_mode & _OTHERS_WRITE:
        raise _make_error(home, "can be written by others and its file system ignores chmod")


def _probe(home: Path, seize: Callable[[int], bool]) -> None:
    """Raise an error if the folder cannot be written or its file locks do not exclude others."""
    # A plan run starts its tasks in several threads.
    probe = home / f".probe-{os.getpid()}-{threading.get_ident()}"
    try:
        descriptor = open_own(probe, os.O_RDWR | os.O_CREAT)
        try:
            is_exclusive = _is_exclusive(descriptor, probe, seize)
        finally:
            os.close(descriptor)
            discard(probe)
    except OSError as error:
        if error.errno in _LOCKS_UNSUPPORTED:
            raise _make_error(home, f"does not allow file locks: {error.strerror}") from error
        raise _make_error(home, f"cannot be written: {error.strerror}") from error
    if not is_exclusive:
        raise _make_error(home, "does not allow file locks: two holders at once")


def _is_exclusive(descriptor: int, probe: Path, seize: Callable[[int], bool]) -> bool:
    other = open_own(probe, os.O_RDWR)
    try:
        return seize(descriptor) and not seize(other)
    finally:
        os.close(other)


def _make_error(home: Path, reason: str) -> UserError:
    return UserError(f"the state folder {quote_path(home)} {reason}", hint=_HINT)


def find_volatile_file_system(home: Path, *, mounts: Path = Path("/proc/self/mounts")) -> str:
    """Return the type of the folder's file system if it does not survive a restart, else empty."""
    try:
        table = mounts.read_bytes()
    except OSError:
        return ""
    file_system, longest = "", -1
    folder = home.resolve()
    # tmpfs /run/user/1000 tmpfs rw,nosuid,nodev 0 0
    for line in table.splitlines():
        _, escaped, kind, *_ = line.split(b" ")
        # Spaces, tabs, newlines and backslashes are written as three octal digits.
        plain = re.sub(rb"\\([0-7]{3})", lambda match: bytes([int(match[1], 8)]), escaped)
        mount_point = Path(os.fsdecode(plain))
        # A later line with the same mount point hides the earlier one.
        if len(mount_point.parts) >= longest and folder.is_relative_to(mount_point):
            file_system, longest = kind.decode(), len(mount_point.parts)
    return file_system if file_system in _VOLATILE else ""
