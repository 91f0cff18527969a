"""Detects processes that one of our checks started: they never speak for the user.

While a process of ours runs checks it carries a mark made from its state folder: as its own name,
which on Linux only the process itself can change, and in an environment variable of everything it
starts. This module is imported by every hook, so it uses the standard library only.
"""

import os

RUN_VARIABLE = "UNTILDONE_RUN"


class _Registered:
    home = ""


def register_home(home: str) -> None:
    """Set the state folder that this process works on, from which its mark is made."""
    _Registered.home = home


def get_own_mark() -> str:
    """Return the mark of this process; empty if it works on no state folder."""
    return make_mark(_Registered.home)


def make_mark(home: str) -> str:
    """Return a mark of at most 15 bytes: Linux cuts off the rest of a process's name."""
    try:
        status = os.stat(home)
    except (OSError, ValueError):
        return ""
    # Made from device and inode, because one folder can have many paths.
    return f"untildone-{(status.st_dev * 1_000_003 + status.st_ino) % 16**5:05x}"


def get_own_process_id() -> int:
    """Return the id of this process in /proc, which differs from `getpid` in a PID namespace."""
    try:
        return int(os.readlink("/proc/self"))
    except (OSError, ValueError):
        return os.getpid()


def find_check_ancestor(home: str, environ: dict[str, str]) -> int:
    """Return the process by which a check of that state folder started this one; 0 if none did.

    Ancestors are examined only where there is a /proc: a hook has no time to run `ps`.
    """
    mark = make_mark(home)
    if not mark:
        return 0
    process = get_own_process_id()
    if mark in environ.get(RUN_VARIABLE, ""):
        return process
    visited = {process}
    while (process := _find_parent(process)) not in visited and process > 0:
        if _is_marked(process, mark):
            return process
        visited.add(process)
    return 0


def read_variable(entries: bytes) -> bytes:
    """Return the value of our variable in the content of a `/proc/PID/environ` file."""
    name = f"{RUN_VARIABLE}=".encode()
    found = (entry[len(name) :] for entry in entries.split(b"\0") if entry.startswith(name))
    return next(found, b"")


def name_process(name: bytes) -> bytes:
    """Rename this process; return its former name, or nothing if it cannot be renamed."""
    former = _read("self", "comm").rstrip(b"\n")
    if not former:
        return b""
    try:
        with open("/proc/self/comm", "wb", buffering=0) as file:
            file.write(name)
    except OSError:
        return b""
    return former


def _is_marked(process: int, mark: str) -> bool:
    encoded = mark.encode()
    name = _read(process, "comm").rstrip(b"\n")
    return name == encoded or encoded in read_variable(_read(process, "environ"))


def _find_parent(process: int) -> int:
    # 4242 (name, which may hold spaces and parentheses) S 1 4242 4242 0 -1 ...
    fields = _read(process, "stat").rpartition(b")")[2].split()
    return int(fields[1]) if fields else 0


def _read(process: int | str, name: str) -> bytes:
    try:
        with open(f"/proc/{process}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""
