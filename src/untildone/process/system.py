"""How each operating system finds, signals and adopts the processes of a tree."""

import contextlib
import os
import shutil
import signal
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from untildone.process.command import WINDOWS_SHELL

Step: TypeAlias = Literal["interrupt", "terminate", "kill"]
SystemTool: TypeAlias = Callable[[Sequence[str]], str]

_PR_SET_CHILD_SUBREAPER = 36
_F_SETPIPE_SZ = 1031
_PIPE_SIZE = 1024 * 1024
_CREATE_NEW_PROCESS_GROUP = 0x200
_DETACHED_PROCESS = 0x8
_CTRL_BREAK_EVENT = 1
# How often the list of our children is read if a thread ends meanwhile.
_ATTEMPTS = 3


class Tree:
    """A program and everything that descends from it; `token` is in their environment."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.pid = 0
        self.poll: Callable[[], int | None] = lambda: None
        self.known_members: dict[int, int] = {}
        self.hosts_agent = False
        # Returns our children that are in no way part of it: other programs that we started.
        self.list_others: Callable[[], frozenset[int]] = frozenset


class Strays(Tree):
    """Orphans that were re-parented to us: not our `children`, and in no `spared` tree."""

    def __init__(self, children: frozenset[int], *, spared: Iterable[Tree]) -> None:
        super().__init__("")
        self.children = children
        self.spared = tuple(spared)
        self.list_others = lambda: children.union(tree.pid for tree in self.spared)


class Posix:
    """What every Unix offers: the process group."""

    flags = 0
    detached_flags = 0

    def __init__(self, run_tool: SystemTool) -> None:
        self._run_tool = run_tool

    def prepare_argv(self, argv: Sequence[str], env: Mapping[str, str]) -> Sequence[str] | str:
        del env
        return argv

    def prepare(self) -> None:
        """Restore SIGCHLD: a process that ignores it cannot read exit statuses."""
        ignored = signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN
        if ignored and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)

    def list_children(self) -> frozenset[int] | None:
        """Return our child processes, or None where the system does not tell."""
        return None

    def widen(self, descriptor: int) -> None:
        """Enlarge a pipe's buffer where that is possible."""

    def read_exit_status(self, tree: Tree) -> int | None:
        """Return the exit status: None while it runs, a negative number after a signal."""
        return tree.poll()

    def find_members(self, tree: Tree) -> set[int]:
        """Return the living processes of the tree, as far as they are known."""
        if not tree.pid:
            return set()
        tree.poll()
        try:
            os.killpg(tree.pid, 0)
        except OSError:
            return set()
        return {tree.pid}

    def send(self, members: set[int], *, step: Step) -> None:
        for pid in members:
            for number in _list_signals(step):
                with contextlib.suppress(OSError):
                    os.killpg(pid, number)

    def is_alive(self, pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except PermissionError:
            return True
        except (OSError, OverflowError):
            return False
        return True

    def find_parent(self, pid: int) -> int:
        """Return the parent's id, 0 if unknown."""
        answer = self._run_tool(["ps", "-o", "ppid=", "-p", str(pid)]).strip()
        return int(answer) if answer.isdigit() else 0

    def read_environment(self, pid: int) -> bytes:
        """Return its initial environment, entries separated by NUL; empty if unknown.

        `ps` separates entries by blanks, so a value with a blank is cut there.
        """
        output = self._run_tool(["ps", "eww", "-o", "command=", "-p", str(pid)])
        return b"\0".join(os.fsencode(word) for word in output.split())


class Linux(Posix):
    """A subreaper: orphans are re-parented to us, and /proc shows their environment."""

    _adopts = False

    def prepare(self) -> None:
        super().prepare()
        if not self._adopts:
            import ctypes  # Imported here because the hook path never starts a process.

            call = ctypes.CDLL(None).prctl
            self._adopts = call(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0

    def list_children(self) -> frozenset[int] | None:
        for _ in range(_ATTEMPTS):
            words: list[str] = []
            try:
                for thread in os.listdir("/proc/self/task"):  # noqa: PTH208  names
                    words += _read_text(f"/proc/self/task/{thread}/children").split()
            except OSError:
                # One of our threads has just ended, or the system does not tell.
                continue
            return frozenset(map(int, words))
        return None

    def widen(self, descriptor: int) -> None:
        import fcntl  # Not available on Windows.

        with contextlib.suppress(OSError):
            fcntl.fcntl(descriptor, _F_SETPIPE_SZ, _PIPE_SIZE)

    def read_exit_status(self, tree: Tree) -> int | None:
        """Return it without reaping the process, whose id must stay ours during the search."""
        found = os.waitid(os.P_PID, tree.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is None:
            return None
        return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status

    def find_members(self, tree: Tree) -> set[int]:
        """Return the living members and reap re-parented ones that have ended."""
        if self._is_alone(tree):
            return set()
        processes = _read_processes()
        members = self._find_descendants(tree, processes)
        tree.known_members = {pid: processes[pid].started for pid in members}
        gone = {pid for pid in members if processes[pid].ended}
        for pid in gone:
            if processes[pid].parent == os.getpid() and pid != tree.pid:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)
        return members - gone

    def send(self, members: set[int], *, step: Step) -> None:
        for pid in members:
            for number in _list_signals(step):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)

    def is_alive(self, pid: int) -> bool:
        process = _read_process(pid)
        return process is not None and not process.ended

    def find_parent(self, pid: int) -> int:
        process = _read_process(pid)
        return process.parent if process else 0

    def read_environment(self, pid: int) -> bytes:
        return _read_proc_file(pid, "environ")

    def _is_alone(self, tree: Tree) -> bool:
        """Say whether nothing is left of the ended program, so that no search is needed.

        What it left behind would be our child, as we adopt orphans.
        """
        children = self.list_children() if self._adopts else None
        if children is None or (tree.pid and self.is_alive(tree.pid)):
            return False
        return children <= tree.list_others() | {tree.pid}

    def _find_descendants(self, tree: Tree, processes: Mapping[int, "_Process"]) -> set[int]:
        children = defaultdict(list)
        for process in processes.values():
            children[process.parent].append(process.pid)
        todo = [p.pid for p in processes.values() if self._is_known(tree, p)]
        found: set[int] = set()
        while todo:
            pid = todo.pop()
            if pid not in found:
                found.add(pid)
                todo += children[pid]
        return found

    def _is_known(self, tree: Tree, process: "_Process") -> bool:
        if tree.pid and tree.pid in (process.pid, process.group, process.session):
            return True
        if tree.known_members.get(process.pid) == process.started:
            return True
        if isinstance(tree, Strays):
            return self._is_stray(tree, process)
        orphan = process.parent == os.getpid() or not self._adopts
        return orphan and tree.token.encode() in _read_proc_file(process.pid, "environ")

    def _is_stray(self, strays: Strays, process: "_Process") -> bool:
        # Programs that we start ourselves stay in our session.
        if process.parent != os.getpid() or process.session == os.getsid(0):
            return False
        if process.pid in strays.children or any(process.pid == tree.pid for tree in strays.spared):
            return False
        return not any(self._is_known(tree, process) for tree in strays.spared)


class Windows(Posix):
    """The process group for an interrupt, `taskkill` for the tree."""

    flags = _CREATE_NEW_PROCESS_GROUP
    detached_flags = _CREATE_NEW_PROCESS_GROUP | _DETACHED_PROCESS

    def prepare(self) -> None:
        """Do nothing: Windows has no SIGCHLD and no subreaper."""

    def prepare_argv(self, argv: Sequence[str], env: Mapping[str, str]) -> Sequence[str] | str:
        if tuple(argv[:4]) == WINDOWS_SHELL:
            # cmd removes the outer quotes and cannot escape inner ones.
            return f'{" ".join(WINDOWS_SHELL)} "{argv[4]}"'
        # `npm` is `npm.cmd`, which only a search with PATHEXT finds.
        program = shutil.which(argv[0], path=env.get("PATH"))
        return [program or argv[0], *argv[1:]]

    def find_members(self, tree: Tree) -> set[int]:
        return {tree.pid} if tree.pid and tree.poll() is None else set()

    def send(self, members: set[int], *, step: Step) -> None:
        force = ["/F"] if step == "kill" else []
        for pid in members:
            if step == "interrupt":
                with contextlib.suppress(OSError):
                    os.kill(pid, _CTRL_BREAK_EVENT)
            else:
                self._run_tool(["taskkill", "/T", *force, "/PID", str(pid)])

    def is_alive(self, pid: int) -> bool:
        return f'"{pid}"' in self._run_tool(
            ["tasklist", "/FI", f"PID eq {pid}", "/FO", "CSV", "/NH"]
        )

    def find_parent(self, pid: int) -> int:
        del pid
        return 0

    def read_environment(self, pid: int) -> bytes:
        del pid
        return b""


def select_system(run_tool: SystemTool) -> Posix:
    """Return the functions of this system; `run_tool` returns the output of a program."""
    match sys.platform:
        case "linux":
            return Linux(run_tool)
        case "win32":
            return Windows(run_tool)
        case _:
            return Posix(run_tool)


def _list_signals(step: Step) -> tuple[int, ...]:
    match step:
        case "interrupt":
            # A stopped process receives no signal before it continues.
            return (signal.SIGINT, signal.SIGCONT)
        case "terminate":
            return (signal.SIGTERM, signal.SIGCONT)
        case "kill":
            return (signal.SIGKILL,)


class _Process(NamedTuple):
    pid: int
    parent: int
    group: int
    session: int
    started: int
    ended: bool


def _read_text(path: str) -> str:
    with open(path, encoding="ascii") as file:  # noqa: PTH123  a path object takes as long as reading
        return file.read()


def _read_proc_file(pid: int, name: str) -> bytes:
    try:
        with open(f"/proc/{pid}/{name}", "rb", buffering=0) as file:  # noqa: PTH123  as above
            return file.read()
    except OSError:
        return b""


def _read_process(pid: int) -> _Process | None:
    # 4242 (name, which may hold spaces and parentheses) S 1 4242 4242 0 -1 ...
    fields = _read_proc_file(pid, "stat").rpartition(b")")[2].split()
    if not fields:
        return None
    parent, group, session = map(int, fields[1:4])
    # A process whose first thread has ended looks like a zombie while other threads run.
    ended = fields[0] in (b"Z", b"X") and int(fields[17]) <= 1
    return _Process(pid, parent, group, session, started=int(fields[19]), ended=ended)


def _read_processes() -> dict[int, _Process]:
    with os.scandir("/proc") as entries:
        numbers = [int(entry.name) for entry in entries if entry.name.isdigit()]
    return {process.pid: process for pid in numbers if (process := _read_process(pid))}
