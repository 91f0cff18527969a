"""Runs one command with a copy of the project mounted at the project's own path.

Run as a file: `python -I -S mounted_copy.py COPY PROJECT SCRATCH MARK [FOLDER]… -- [ARGV…]`.
Editable installs and workspace links name the project's path, so a copy elsewhere would not be
imported. MARK is a file that only the copy has: seen at the project's path, it proves that the copy
is read.
"""

import ctypes
import errno
import os
import sys

_NEW_USER, _NEW_MOUNTS = 0x10000000, 0x00020000
_READ_ONLY, _REMOUNT, _BIND, _RECURSIVE, _PRIVATE = 1, 32, 4096, 16384, 1 << 18
# The exit status if no namespace is allowed here; no ordinary command has it.
NOT_ALLOWED = 197


class _RefusedError(Exception):
    pass


def main(arguments: list[str]) -> int:
    split = arguments.index("--")
    copy, project, scratch, mark, *folders = arguments[:split]
    subfolder = os.path.relpath(os.getcwd(), project)
    try:
        _enter_namespace()
        scratch = _make_own_folder(scratch)
        for number, folder in enumerate(folders):
            _mount_overlay(
                os.path.join(project, folder), os.path.join(copy, folder), scratch, number
            )
        _mount(copy, project, flags=_BIND | _RECURSIVE)
        os.chdir(os.path.join(project, subfolder))
    except (_RefusedError, OSError) as error:
        sys.stderr.write(f"untildone: {error}\n")
        return NOT_ALLOWED
    if not os.path.exists(os.path.join(project, mark)):
        return NOT_ALLOWED
    command = arguments[split + 1 :]
    return _exec(command) if command else 0


def _exec(command: list[str]) -> int:
    """Replace this process by the command; return an exit status if it cannot be run."""
    try:
        os.execvp(command[0], command)  # noqa: S606  no shell in between
    except FileNotFoundError:
        return 127
    except OSError as error:
        # As in every shell, a script without a `#!` line runs in sh.
        return _exec(["sh", *command]) if error.errno == errno.ENOEXEC else 126


def _make_own_folder(scratch: str) -> str:
    """Make a folder for this command's overlays: several commands run at the same time."""
    folder = os.path.join(scratch, str(os.getpid()))
    os.makedirs(folder)
    return folder


def _enter_namespace() -> None:
    """Enter a new user and mount namespace, as the same user and group."""
    user, group = os.getuid(), os.getgid()
    _check(_load_libc().unshare(_NEW_USER | _NEW_MOUNTS), "unshare")
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")
    _mount("none", "/", flags=_RECURSIVE | _PRIVATE)


def _mount_overlay(original: str, target: str, scratch: str, number: int) -> None:
    """Mount the original's content; what is written there is discarded."""
    os.makedirs(target, exist_ok=True)
    upper, work = (os.path.join(scratch, f"{name}{number}") for name in ("upper", "work"))
    os.makedirs(upper)
    os.makedirs(work)
    options = f"lowerdir={_escape(original)},upperdir={_escape(upper)},workdir={_escape(work)}"
    try:
        _mount("overlay", target, kind="overlay", options=f"{options},userxattr")
    except _RefusedError:
        _mount(original, target, flags=_BIND | _RECURSIVE)
        _mount("none", target, flags=_BIND | _REMOUNT | _READ_ONLY)


def _escape(path: str) -> str:
    return path.replace("\\", "\\\\").replace(":", "\\:").replace(",", "\\,")


def _load_libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _mount(source: str, target: str, *, kind: str = "", flags: int = 0, options: str = "") -> None:
    texts = [os.fsencode(text) or None for text in (source, target, kind)]
    result = _load_libc().mount(*texts, ctypes.c_ulong(flags), os.fsencode(options) or None)
    _check(result, f"mount {target}")


def _check(result: int, action: str) -> None:
    if result != 0:
        raise _RefusedError(f"{action}: {os.strerror(ctypes.get_errno())}")


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
