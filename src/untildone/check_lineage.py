"""Which processes run below a check of ours: whatever they say, they are not the user.

While a process of ours runs checks it carries a mark that belongs to its state folder: as its own
name, which on Linux only the process itself can change, and in a variable of everything it starts.
"""

import os

RUN_VARIABLE = "UNTILDONE_RUN"


class _Serving:
    home = ""


def register_home(home: str) -> None:
    """Remember whose loops this process works on: the mark of its checks names that folder."""
    _Serving.home = home


def get_own_mark() -> str:
    """The mark for the checks of this process; empty where it works on no state folder."""
    return make_mark(_Serving.home)


def make_mark(home: str) -> str:
    """At most 15 bytes: Linux cuts off the rest of a process's name."""
    try:
        status = os.stat(home)
    except (OSError, ValueError):
        return ""
    # By the folder itself: a path can be written in many ways.
    return f"untildone-{(status.st_dev * 1_000_003 + status.st_ino) % 16**5:05x}"


def get_own_process_id() -> int:
    """This process as /proc numbers it, which in a PID namespace is not what `getpid` says."""
    try:
        return int(os.readlink("/proc/self"))
    except (OSError, ValueError):
        return os.getpid()


def find_check_ancestor(home: str, environ: dict[str, str]) -> int:
    """The process that shows this one to be below a check of that home; 0 if there is none.

    Ancestors are looked at where there is a /proc: a hook cannot wait for `ps`.
    """
    mark = make_mark(home)
    if not mark:
        return 0
    process = get_own_process_id()
    if mark in environ.get(RUN_VARIABLE, ""):
        return process
    seen = {process}
    while (process := _parent(process)) not in seen and process > 0:
        if _is_marked(process, mark):
            return process
        seen.add(process)
    return 0


def read_variable(entries: bytes) -> bytes:
    """The value of our variable in an environment as /proc shows it."""
    name = f"{RUN_VARIABLE}=".encode()
    found = (entry[len(name) :] for entry in entries.split(b"\0") if entry.startswith(name))
    return next(found, b"")


def name_process(name: bytes) -> bytes:
    """Give this process a name; returns the name it had, empty where that is not possible."""
    before = _read("self", "comm").rstrip(b"\n")
    if not before:
        return b""
    try:
        with open("/proc/self/comm", "wb", buffering=0) as file:
            file.write(name)
    except OSError:
        return b""
    return before


def _is_marked(process: int, mark: str) -> bool:
    wanted = mark.encode()
    name = _read(process, "comm").rstrip(b"\n")
    return name == wanted or wanted in read_variable(_read(process, "environ"))


def _parent(process: int) -> int:
    # 4242 (name, which may hold spaces and parentheses) S 1 4242 4242 0 -1 ...
    fields = _read(process, "stat").rpartition(b")")[2].split()
    return int(fields[1]) if fields else 0


def _read(process: int | str, name: str) -> bytes:
    try:
        with open(f"/proc/{process}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""
