"""The namespaces of a sandbox: a process that makes and holds them, and one that enters them.

Run as a file, with the standard library alone:

    python -I -S namespaces.py hold PLAN             make them by the plan in this file
    python -I -S namespaces.py enter PID -- ARGV…    run a command in those that this process holds

PLAN is the JSON of `mount_plan.MountPlan`. `hold` prints one line of JSON, `{"pid": …, "missing":
[…]}` or `{"error": …}`, and ends with its standard input: everything inside is killed then.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import sys

# `typing` and `json` take as long to import as the interpreter takes to start, at every check.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NEW_MOUNTS, _NEW_IPC, _NEW_USER = 0x00020000, 0x08000000, 0x10000000
_NEW_PROCESSES, _NEW_NETWORK = 0x20000000, 0x40000000
_READ_ONLY, _REMOUNT, _BIND, _RECURSIVE, _PRIVATE = 1, 32, 4096, 16384, 1 << 18
_NAMESPACES = ("user", "mnt", "ipc", "net", "pid")
_FLAGS_OF_WALLS = {"processes": _NEW_PROCESSES | _NEW_IPC, "network": _NEW_NETWORK}
# Operations of prctl, and the capability by which a process could undo mounts.
_DIE_WITH_PARENT, _DROP_CAPABILITY, _ADMINISTRATION = 1, 24, 21
# The ioctl that sets the flags of a network interface, and the flags: up and running.
_SET_INTERFACE_FLAGS, _UP_AND_RUNNING = 0x8914, 0x41
# The exit status if the namespaces cannot be entered; no ordinary command has it.
NOT_ALLOWED = 197


class _RefusedError(Exception):
    """The system does not allow a part of the sandbox."""


def main(arguments: list[str]) -> int:
    if arguments[0] == "hold":
        return _hold(arguments[1])
    return _enter(arguments[1], arguments[3:])


def _hold(plan_file: str) -> int:
    """Make the namespaces in a child, report it, and kill it when standard input ends."""
    with open(plan_file, encoding="utf-8") as file:
        plan = _decode(file.read())
    try:
        _enter_user_namespace(plan["walls"])
    except (_RefusedError, OSError) as error:
        _send(1, {"error": str(error)})
        return NOT_ALLOWED
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _prepare_and_wait(plan, writer)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as pipe:
        report = pipe.read()
    answer = _decode(report) if report else {"error": "its first process ended"}
    _send(1, answer if "error" in answer else {"pid": child, **answer})
    # The end of the process that reads the answer ends this input, however it ends.
    while "error" not in answer and os.read(0, 4096):
        pass
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return 0


def _decode(text: str) -> dict[str, Any]:
    import json

    decoded: dict[str, Any] = json.loads(text)
    return decoded


def _send(descriptor: int, answer: dict[str, Any]) -> None:
    import json

    os.write(descriptor, json.dumps(answer).encode() + b"\n")


def _enter_user_namespace(walls: list[str]) -> None:
    """Enter new namespaces as the same user and group; processes in it are those of children."""
    user, group = os.getuid(), os.getgid()
    flags = _NEW_USER | _NEW_MOUNTS
    for wall in walls:
        flags |= _FLAGS_OF_WALLS.get(wall, 0)
    _check(_load_libc().unshare(flags), "unshare")
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")


def _prepare_and_wait(plan: dict[str, Any], writer: int) -> None:
    """Make the mounts, report how that went, and bury children until this process is killed."""
    _load_libc().prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    report: dict[str, Any]
    try:
        report = {"missing": _build(plan)}
    except (_RefusedError, OSError) as error:
        report = {"error": str(error)}
    _send(writer, report)
    os.close(writer)
    for stream in (0, 1):
        os.close(stream)
    while True:
        signal.sigwait([signal.SIGCHLD])
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            continue


def _build(plan: dict[str, Any]) -> list[str]:
    """Mount what the plan says; return what could not be hidden or written to."""
    _mount("none", "/", flags=_RECURSIVE | _PRIVATE)
    if "processes" in plan["walls"]:
        _mount("proc", "/proc", kind="proc")
    if "network" in plan["walls"]:
        _start_loopback()
    # Opened before anything is mounted over them.
    sources = [os.open(mount["source"], os.O_PATH) for mount in plan["mounts"]]
    scratch = os.open(plan["scratch"], os.O_PATH)
    missing = []
    for number, (mount, source) in enumerate(zip(plan["mounts"], sources, strict=True)):
        missing += _mount_one(mount, f"/proc/self/fd/{source}", f"/proc/self/fd/{scratch}", number)
    for path in plan["hidden"]:
        missing += _hide(path)
    if not os.path.exists(plan["mark"]):
        raise _RefusedError("the project's folder does not show the copy")
    return missing


def _mount_one(mount: dict[str, Any], source: str, scratch: str, number: int) -> list[str]:
    """Mount one folder or file; return its target if it can only be read."""
    target = mount["target"]
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    elif not os.path.lexists(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        open(target, "x", encoding="utf-8").close()
    if mount["kind"] == "overlay" and os.path.isdir(source):
        upper, work = (f"{scratch}/{name}{number}" for name in ("upper", "work"))
        os.makedirs(upper)
        os.makedirs(work)
        options = f"lowerdir={source},upperdir={upper},workdir={work},userxattr"
        try:
            _mount("overlay", target, kind="overlay", options=options)
        except _RefusedError:
            _mount_read_only(source, target)
            return [target]
    elif mount["kind"] == "bind":
        _mount(source, target, flags=_BIND | _RECURSIVE)
    else:
        _mount_read_only(source, target)
    return []


def _mount_read_only(source: str, target: str) -> None:
    _mount(source, target, flags=_BIND | _RECURSIVE)
    # Flags such as `nosuid` that the source has may not be dropped.
    kept = os.statvfs(target).f_flag & (os.ST_NOSUID | os.ST_NODEV | os.ST_NOEXEC)
    _mount("none", target, flags=_BIND | _REMOUNT | _READ_ONLY | kept)


def _hide(path: str) -> list[str]:
    """Remove a file or folder inside of an overlay; return the path if that is not possible."""
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            # Imported where it is used: it takes longer than all mounts.
            import shutil

            shutil.rmtree(path)
        else:
            os.unlink(path)
    except FileNotFoundError:
        return []
    except OSError:
        return [path]
    return []


def _start_loopback() -> None:
    """Switch on the loopback interface of a new network namespace."""
    import fcntl
    import socket
    import struct

    with socket.socket() as connection:
        request = struct.pack("16sh", b"lo", _UP_AND_RUNNING)
        fcntl.ioctl(connection, _SET_INTERFACE_FLAGS, request)


def _enter(holder: str, command: list[str]) -> int:
    """Run the command inside; return its exit status, or end by the same signal."""
    folder = os.getcwd()
    try:
        has_own_processes = _join(holder)
        os.chdir(folder)
    except (_RefusedError, OSError) as error:
        sys.stderr.write(f"untildone: {error}\n")
        return NOT_ALLOWED
    # The user `root` could otherwise undo the mounts.
    _load_libc().prctl(_DROP_CAPABILITY, _ADMINISTRATION, 0, 0, 0)
    if not has_own_processes:
        return _exec(command)
    child = os.fork()
    if child == 0:
        _load_libc().prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
        os._exit(_exec(command))
    return _repeat_status(child)


def _join(holder: str) -> bool:
    """Enter the namespaces of the holder; return whether its processes are its own."""
    # Opened first: with its mounts this process gets another `/proc`.
    namespaces = {
        name: os.open(f"/proc/{holder}/ns/{name}", os.O_RDONLY)
        for name in _NAMESPACES
        if os.readlink(f"/proc/{holder}/ns/{name}") != os.readlink(f"/proc/self/ns/{name}")
    }
    for name, namespace in namespaces.items():
        _check(_load_libc().setns(namespace, 0), f"enter {name}")
        os.close(namespace)
    return "pid" in namespaces


def _repeat_status(child: int) -> int:
    """Wait for the child and return its exit status, or end this process by the same signal."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, _: os.kill(child, number))
    while True:
        try:
            status = os.waitpid(child, 0)[1]
            break
        except InterruptedError:
            continue
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return code
    if -code != signal.SIGKILL:
        signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
    return 128 - code


def _exec(command: list[str]) -> int:
    """Replace this process by the command; return an exit status if it cannot be run."""
    try:
        os.execvp(command[0], command)  # noqa: S606  no shell in between
    except FileNotFoundError:
        return 127
    except OSError as error:
        # As in every shell, a script without a `#!` line runs in sh.
        return _exec(["sh", *command]) if error.errno == errno.ENOEXEC else 126


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
