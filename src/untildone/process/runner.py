"""Programs run to their end or a deadline, with bounded output, leaving no process behind."""

import contextlib
import errno
import os
import secrets
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import IO, Literal, NoReturn, TypeAlias

from msgspec import Struct

from untildone.check_lineage import RUN_VARIABLE, read_variable
from untildone.process.check_mark import carrying_mark
from untildone.process.command import explain_missing_program
from untildone.process.output import Hear, Output, describe_gap, feed
from untildone.process.system import Step, Strays, Tree, select_system

TICK_SECONDS = 0.05
DRAIN_SECONDS = 0.5
INTERRUPT_GRACE = 1.0
TERMINATE_GRACE = 1.0
KILL_LIMIT = 5.0
ENDING_GRACE = 0.3
# A process that leaves its session and clears its environment is found only if seen before.
LOOK_SECONDS = 1.0

_GENTLE_STEPS: tuple[tuple[Step, float], ...] = (
    ("interrupt", INTERRUPT_GRACE),
    ("terminate", TERMINATE_GRACE),
    ("kill", KILL_LIMIT),
)

Cut: TypeAlias = Literal["timed out", "interrupted", "lost"]


class Finished(Struct, frozen=True, kw_only=True):
    """How a program ended; `exit_code` is None if it was cut short or could not be run."""

    exit_code: int | None
    signal: int = 0
    timed_out: bool = False
    interrupted: bool = False
    missing: str = ""
    seconds: float = 0
    head: bytes = b""
    tail: bytes = b""
    size: int = 0
    survivors: int = 0

    @property
    def text(self) -> str:
        gap = describe_gap(self.size - len(self.head) - len(self.tail))
        return (self.head + gap + self.tail).decode("utf-8", "replace")


def run(
    argv: Sequence[str],
    *,
    cwd: Path | str,
    timeout: float | None,
    env: Mapping[str, str] | None = None,
    log: Path | None = None,
    stop: threading.Event | None = None,
    stdin: bytes = b"",
    errors: Path | None = None,
    hear: Hear | None = None,
    hosts_agent: bool = False,
) -> Finished:
    """Run a program to its end or to the deadline; nothing it started outlives the call.

    Its stderr is part of the output unless `errors` names a file. The user's verbs are refused
    below it, unless it `hosts_agent`: then it is an agent's client or one of its hooks.
    """
    deadline = _Deadline(timeout, stop=stop)
    if deadline.cut():
        return Finished(exit_code=None, interrupted=True)
    given = os.environ if env is None else env
    with _tree(given, hosts_agent=hosts_agent) as (tree, marked):
        try:
            child = _spawn(argv, cwd=cwd, env=marked, fed=bool(stdin), errors=errors)
        except (OSError, ValueError, IndexError) as error:
            return Finished(
                exit_code=None, missing=explain_missing_program(argv, cwd=Path(cwd), error=error)
            )
        tree.pid, tree.poll = child.pid, child.poll
        if child.stdin is not None:
            threading.Thread(target=feed, args=(child.stdin, stdin), daemon=True).start()
        output = Output(_pipe(child), log=log, hear=hear)
        return _watch(tree, output, deadline=deadline)


@contextlib.contextmanager
def end_runs_on_signal() -> Iterator[None]:
    """End the process trees of all runs before a signal ends this process."""
    if not _in_main_thread():
        yield
        return
    _SYSTEM.prepare()
    _STATE.ending = ""
    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    # Signals that the parent ignores (nohup, a background job) stay ignored.
    taken = {n: old for n, old in before.items() if old not in (signal.SIG_IGN, None)}
    try:
        for number in taken:
            signal.signal(number, _end_all)
        yield
    finally:
        for number, old in taken.items():
            signal.signal(number, old)
        if _STATE.ending:
            # Worker threads must not start what is still queued.
            _STATE.ending = "workers"


def start_detached(argv: Sequence[str], *, cwd: Path | str, env: Mapping[str, str]) -> int:
    """Start a program that outlives this process and return its process id."""
    _STATE.detached = [child for child in _STATE.detached if child.poll() is None]
    with _STATE.starting:
        child = subprocess.Popen(
            _SYSTEM.prepare_argv(argv, env),
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            creationflags=_SYSTEM.detached_flags,
        )
        _STATE.detached.append(child)
    return child.pid


def is_alive(pid: int) -> bool:
    for child in _STATE.detached:
        if child.pid == pid:
            return child.poll() is None
    return pid > 0 and _SYSTEM.alive(pid)


def list_ancestors(pid: int) -> list[int]:
    """Return the parent, its parent and so on; empty if unknown."""
    found: list[int] = []
    while (pid := _SYSTEM.parent(pid)) > 0 and pid not in found:
        found.append(pid)
    return found


def is_below(mark: str) -> bool:
    """Whether an ancestor was started as part of a check with that mark."""
    above = list_ancestors(os.getpid())
    return any(mark.encode() in read_variable(_SYSTEM.environment(pid)) for pid in above)


def _ask(argv: Sequence[str]) -> str:
    try:
        asked = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return asked.stdout


_SYSTEM = select_system(_ask)


class _State:
    """The runs of this process."""

    def __init__(self) -> None:
        self.trees: set[Tree] = set()
        self.detached: list[subprocess.Popen[bytes]] = []
        self.ending: Literal["", "workers", "all"] = ""
        self.own: frozenset[int] | None = None
        # Held while strays are searched: a program started then would look like one.
        self.starting = threading.RLock()


_STATE = _State()


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _is_ending() -> bool:
    return _STATE.ending == "all" or (_STATE.ending == "workers" and not _in_main_thread())


class _Deadline:
    """The moment at which a program is ended."""

    def __init__(self, seconds: float | None, *, stop: threading.Event | None) -> None:
        self.began = time.monotonic()
        self._seconds = float("inf") if seconds is None else seconds
        self._stop = stop

    def cut(self) -> Cut | None:
        if _is_ending() or (self._stop and self._stop.is_set()):
            return "interrupted"
        return "timed out" if self.left() <= 0 else None

    def left(self) -> float:
        return self._seconds - self.passed()

    def passed(self) -> float:
        return time.monotonic() - self.began


@contextlib.contextmanager
def _tree(
    env: Mapping[str, str], *, hosts_agent: bool = False
) -> Iterator[tuple[Tree, dict[str, str]]]:
    """Register a process tree and yield it with the environment that marks its members."""
    _SYSTEM.prepare()
    with contextlib.nullcontext("") if hosts_agent else carrying_mark() as mark:
        tree = Tree(f"{mark}.{secrets.token_hex(8)}")
        # An outer run must also find what an inner one leaves behind.
        marker = ",".join(filter(None, (env.get(RUN_VARIABLE), tree.token)))
        tree.hosts_agent = hosts_agent
        # Registered before it starts, because a signal may arrive in between.
        _begin(tree)
        try:
            yield tree, {**env, RUN_VARIABLE: marker}
        except BaseException:
            _end(tree, ("kill", KILL_LIMIT))
            raise
        finally:
            _forget(tree)


def _spawn(
    argv: Sequence[str],
    *,
    cwd: Path | str,
    env: Mapping[str, str],
    fed: bool,
    errors: Path | None,
) -> subprocess.Popen[bytes]:
    def popen(argv: Sequence[str] | str, stderr: IO[bytes] | int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            bufsize=0,
            stdin=subprocess.PIPE if fed else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
            creationflags=_SYSTEM.flags,
        )

    with _STATE.starting, contextlib.ExitStack() as stack:
        stderr = stack.enter_context(errors.open("wb")) if errors else subprocess.STDOUT
        try:
            return popen(_SYSTEM.prepare_argv(argv, env), stderr)
        except OSError as error:
            if error.errno != errno.ENOEXEC:
                raise
            # Like every shell: a script without a `#!` line is run by sh.
            return popen(["sh", *argv], stderr)


def _pipe(child: subprocess.Popen[bytes]) -> IO[bytes]:
    if child.stdout is None:
        raise ValueError("the child was started without a pipe")
    _SYSTEM.widen(child.stdout.fileno())
    return child.stdout


def _watch(tree: Tree, output: Output, *, deadline: _Deadline) -> Finished:
    status = _wait(tree, output, deadline=deadline)
    seconds = deadline.passed()
    survivors = 0
    if status in ("timed out", "interrupted"):
        _end(tree, *(_GENTLE_STEPS[2:] if _is_ending() else _GENTLE_STEPS))
        output.ended.wait(DRAIN_SECONDS)
    else:
        survivors = _end_leftovers(tree, output)
    head, tail, size = output.close()
    code = status if isinstance(status, int) else None
    number = -code if code and code < 0 else 0
    return Finished(
        exit_code=128 + number if number else code,
        signal=number,
        timed_out=status == "timed out",
        interrupted=status == "interrupted",
        missing="the exit status went to another part of this program" if status == "lost" else "",
        seconds=seconds,
        head=head,
        tail=tail,
        size=size,
        survivors=survivors,
    )


def _wait(tree: Tree, output: Output, *, deadline: _Deadline) -> int | Cut:
    pause, gap, look = 0.001, 0.1, 0.1
    while (status := _status(tree)) is None:
        if cut := deadline.cut():
            return cut
        if deadline.passed() >= look:
            _SYSTEM.members(tree)
            gap = min(2 * gap, LOOK_SECONDS)
            look = deadline.passed() + gap
        # The end of the output is nearly always the end of the program.
        if not output.ended.wait(min(TICK_SECONDS, max(deadline.left(), 0))):
            continue
        time.sleep(pause)
        pause = min(2 * pause, TICK_SECONDS)
    return "interrupted" if _is_ending() else status


def _status(tree: Tree) -> int | Cut | None:
    try:
        return _SYSTEM.exit_status(tree)
    except ChildProcessError:
        return "lost"


def _end_leftovers(tree: Tree, output: Output) -> int:
    """Kill what is still running shortly after the program ended; return how many."""
    until = time.monotonic() + DRAIN_SECONDS
    while (left := _SYSTEM.members(tree)) or not output.ended.is_set():
        if time.monotonic() >= until:
            break
        time.sleep(TICK_SECONDS / 2) if left else output.ended.wait(TICK_SECONDS)
    return _end(tree, *_GENTLE_STEPS[1:]) if left else 0


def _end(tree: Tree, *steps: tuple[Step, float]) -> int:
    """Take the steps until no process is left; return how many there were."""
    first = left = _SYSTEM.members(tree)
    for step, grace in steps:
        until = time.monotonic() + grace
        _SYSTEM.send(left, step=step)
        while (left := _SYSTEM.members(tree)) and time.monotonic() < until:
            time.sleep(TICK_SECONDS / 2)
            if step == "kill":
                _SYSTEM.send(left, step=step)
        if not left:
            break
    return len(first)


def _begin(tree: Tree) -> None:
    with _STATE.starting:
        if not _STATE.trees:
            _STATE.own = _SYSTEM.list_children()
        _STATE.trees.add(tree)


def _forget(tree: Tree) -> None:
    """Unregister the tree; after the last check, kill strays that left their session."""
    with _STATE.starting:
        _STATE.trees.discard(tree)
        tree.poll()
        if _STATE.own is not None and all(other.hosts_agent for other in _STATE.trees):
            own = _STATE.own.union(child.pid for child in _STATE.detached)
            _end(Strays(own, spared=_STATE.trees), ("kill", KILL_LIMIT))


def _end_all(number: int, _frame: FrameType | None) -> NoReturn:
    _STATE.ending = "all"
    trees = list(_STATE.trees)
    for tree in trees:
        _SYSTEM.send(_SYSTEM.members(tree), step="terminate")
    until = time.monotonic() + ENDING_GRACE
    while any(_SYSTEM.members(tree) for tree in trees) and time.monotonic() < until:
        time.sleep(TICK_SECONDS / 2)
    for tree in trees:
        _end(tree, ("kill", KILL_LIMIT))
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(128 + number)
