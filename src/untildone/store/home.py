"""Where the state lives, and whether it can safely live there."""

import errno
import os
import re
import stat
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from untildone.errors import UserError
from untildone.store.files import discard, is_owned, open_own, quote_path
from untildone.store.lock import try_lock

_ELSEWHERE = "set `UNTILDONE_HOME` to a folder of your own on a local disk"
_VANISHING = frozenset(
    {"tmpfs", "ramfs", "devtmpfs", "rootfs", "overlay", "aufs", "fuse.overlayfs", "fuse-overlayfs"}
)
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL)


def find_state_home(environ: Mapping[str, str], *, platform: str = sys.platform) -> Path:
    chosen = environ.get("UNTILDONE_HOME", "")
    if chosen:
        return _absolute(chosen)
    if platform == "win32":
        local = environ.get("LOCALAPPDATA", "")
        return (
            Path(local or Path(environ.get("USERPROFILE", "~")).expanduser() / "AppData/Local")
            / "untildone"
        )
    state = environ.get("XDG_STATE_HOME", "")
    # The XDG specification: a relative path is to be ignored.
    if state and Path(state).is_absolute():
        return Path(state) / "untildone"
    return Path(environ.get("HOME", "") or Path.home()) / ".local" / "state" / "untildone"


def _absolute(chosen: str) -> Path:
    path = Path(chosen)
    if not path.is_absolute():
        # Hooks run wherever the agent went: a relative home would be a new one in each folder.
        raise UserError(
            f"`UNTILDONE_HOME` is {quote_path(path)}, which is not an absolute path",
            hint=f"set it to {quote_path(path.absolute())}",
        )
    return path


def prepare_home(home: Path, *, seize: Callable[[int], bool] = try_lock) -> None:
    """Make the folder, or say why the state cannot live there."""
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError:
        # A dangling link or a file; the next check names which.
        pass
    except OSError as error:
        raise _unusable(home, f"cannot be made: {error.strerror}") from error
    _refuse_foreign(home)
    _close_to_others(home)
    _try_out(home, seize)


def check_home(home: Path) -> None:
    """Refuse a folder that is there and cannot be ours; one that is not made yet is fine."""
    try:
        home.lstat()
    except FileNotFoundError:
        return
    except OSError as error:
        raise _unusable(home, f"cannot be read: {error.strerror}") from error
    _refuse_foreign(home)
    if not os.access(home, os.R_OK | os.X_OK):
        raise _unusable(home, "cannot be read: Permission denied")


def _refuse_foreign(home: Path) -> None:
    status = home.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise UserError(
            f"the state folder {quote_path(home)} is a symbolic link",
            hint=f"set `UNTILDONE_HOME` to the folder it points to, {quote_path(home.resolve())}",
        )
    if not stat.S_ISDIR(status.st_mode):
        raise _unusable(home, "is not a folder")
    if not is_owned(status):
        raise _unusable(home, f"belongs to user {status.st_uid}")


def _close_to_others(home: Path) -> None:
    if sys.platform == "win32" or not stat.S_IMODE(home.stat().st_mode) & 0o077:
        return
    try:
        home.chmod(0o700)
    except OSError as error:
        raise _unusable(home, f"is open to others: {error.strerror}") from error
    # Mounted Windows disks take a chmod without obeying it.
    if home.stat().st_mode & _OTHERS_WRITE:
        raise _unusable(home, "can be written by others and its file system ignores chmod")


def _try_out(home: Path, seize: Callable[[int], bool]) -> None:
    # The tasks of a plan are begun by several threads.
    probe = home / f".probe-{os.getpid()}-{threading.get_ident()}"
    try:
        first = open_own(probe, os.O_RDWR | os.O_CREAT)
        try:
            excluded = _excludes(first, probe, seize)
        finally:
            os.close(first)
            discard(probe)
    except OSError as error:
        if error.errno in _NO_LOCKS:
            raise _unusable(home, f"does not allow file locks: {error.strerror}") from error
        raise _unusable(home, f"cannot be written: {error.strerror}") from error
    if not excluded:
        raise _unusable(home, "does not allow file locks: two holders at once")


def _excludes(first: int, probe: Path, seize: Callable[[int], bool]) -> bool:
    second = open_own(probe, os.O_RDWR)
    try:
        return seize(first) and not seize(second)
    finally:
        os.close(second)


def _unusable(home: Path, reason: str) -> UserError:
    return UserError(f"the state folder {quote_path(home)} {reason}", hint=_ELSEWHERE)


def find_volatile_file_system(home: Path, *, mounts: Path = Path("/proc/self/mounts")) -> str:
    """The type of the file system, if what lies there is gone after a restart."""
    try:
        table = mounts.read_bytes()
    except OSError:
        return ""
    kind, longest = "", -1
    place = home.resolve()
    for line in table.splitlines():
        point, found = _mount(line)
        # A later line with the same point is mounted over the earlier one.
        if len(point.parts) >= longest and place.is_relative_to(point):
            kind, longest = found, len(point.parts)
    return kind if kind in _VANISHING else ""


def _mount(line: bytes) -> tuple[Path, str]:
    _, point, kind, *_ = line.split(b" ")
    # Blanks, tabs, newlines and backslashes are written as three octal digits.
    plain = re.sub(rb"\\([0-7]{3})", lambda match: bytes([int(match[1], 8)]), point)
    return Path(os.fsdecode(plain)), kind.decode()
