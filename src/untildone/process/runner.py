"""Programs run to their end or a deadline, with bounded output, leaving no process behind."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import FrameType
from typing import IO, Literal, NoReturn, TypeAlias

from msgspec import Struct

from untildone.check_lineage import read_variable
from untildone.process import trees
from untildone.process.live_input import LiveInput
from untildone.process.output import Output, OutputCallback, describe_gap, feed
from untildone.process.system import Tree

DRAIN_SECONDS = 0.5
_SIGNAL_SECONDS = 0.3
# A process that leaves its session and clears its environment is found only if seen before.
_SEARCH_SECONDS = 1.0

EarlyEnd: TypeAlias = Literal["timed out", "interrupted", "lost", "dismissed"]


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
    stdin: bytes | LiveInput = b"",
    errors: Path | None = None,
    on_output: OutputCallback | None = None,
    hosts_agent: bool = False,
) -> Finished:
    """Run a program to its end or to the deadline; nothing it started outlives the call.

    Its stderr is part of the output unless `errors` names a file. The user's verbs are refused
    below it, unless it `hosts_agent`: then it is an agent's client or one of its hooks.
    A program whose live input was closed is ended if it does not end by itself.
    """
    live = stdin if isinstance(stdin, LiveInput) else None
    deadline = _Deadline(timeout, stop=stop, live=live)
    if deadline.find_early_end():
        return Finished(exit_code=None, interrupted=True)
    environ = os.environ if env is None else env
    opened = trees.open_tree(
        argv, cwd=cwd, env=environ, has_input=bool(stdin), errors=errors, hosts_agent=hosts_agent
    )
    try:
        with opened as (tree, child):
            if child.stdin is not None:
                _start_feeding(child.stdin, stdin)
            output = Output(trees.get_stdout(child), log=log, on_output=on_output)
            return _watch(tree, output, deadline=deadline)
    except trees.CannotStartError as error:
        return Finished(exit_code=None, missing=str(error))
    finally:
        if live:
            live.close()


def _start_feeding(pipe: IO[bytes], data: bytes | LiveInput) -> None:
    write = data.write_to if isinstance(data, LiveInput) else partial(feed, data=data)
    threading.Thread(target=write, args=(pipe,), daemon=True).start()


@contextlib.contextmanager
def end_runs_on_signal() -> Iterator[None]:
    """End the process trees of all runs before a signal ends this process."""
    if not trees.is_main_thread():
        yield
        return
    trees.SYSTEM.prepare()
    trees.STATE.ending = ""
    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    previous = {number: signal.getsignal(number) for number in numbers}
    # Signals that the parent ignores (nohup, a background job) stay ignored.
    replaced = {n: old for n, old in previous.items() if old not in (signal.SIG_IGN, None)}
    try:
        for number in replaced:
            signal.signal(number, _end_all)
        yield
    finally:
        for number, old in replaced.items():
            signal.signal(number, old)
        if trees.STATE.ending:
            # Worker threads must not start what is still queued.
            trees.STATE.ending = "workers"


def is_alive(pid: int) -> bool:
    for child in trees.STATE.detached:
        if child.pid == pid:
            return child.poll() is None
    return pid > 0 and trees.SYSTEM.is_alive(pid)


def list_ancestors(pid: int) -> list[int]:
    """Return the parent, its parent and so on; empty if unknown."""
    found: list[int] = []
    while (pid := trees.SYSTEM.find_parent(pid)) > 0 and pid not in found:
        found.append(pid)
    return found


def is_below(mark: str) -> bool:
    """Say whether an ancestor was started as part of a check with that mark."""
    environments = map(trees.SYSTEM.read_environment, list_ancestors(os.getpid()))
    return any(mark.encode() in read_variable(environment) for environment in environments)


class _Deadline:
    """The moment at which a program is ended."""

    def __init__(
        self,
        seconds: float | None,
        *,
        stop: threading.Event | None,
        live: LiveInput | None = None,
    ) -> None:
        self.began = time.monotonic()
        self._seconds = float("inf") if seconds is None else seconds
        self._stop = stop
        self._live = live

    def find_early_end(self) -> EarlyEnd | None:
        if trees.is_ending() or (self._stop and self._stop.is_set()):
            return "interrupted"
        if self._live and self._live.is_overdue():
            return "dismissed"
        return "timed out" if self.get_seconds_left() <= 0 else None

    def warn(self) -> None:
        """Send the program its last words, unless this process must end at once."""
        if self._live and not trees.is_ending():
            self._live.say_last_words()

    def get_seconds_left(self) -> float:
        return self._seconds - self.get_elapsed()

    def get_elapsed(self) -> float:
        return time.monotonic() - self.began


def _watch(tree: Tree, output: Output, *, deadline: _Deadline) -> Finished:
    status = _wait(tree, output, deadline=deadline)
    seconds = deadline.get_elapsed()
    survivors = 0
    if status in ("timed out", "interrupted", "dismissed"):
        if status != "dismissed":
            deadline.warn()
        trees.end_tree(tree, *(trees.ENDING_STEPS[2:] if trees.is_ending() else trees.ENDING_STEPS))
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


def _wait(tree: Tree, output: Output, *, deadline: _Deadline) -> int | EarlyEnd:
    pause, gap, next_search = 0.001, 0.1, 0.1
    while (status := _read_status(tree)) is None:
        if early_end := deadline.find_early_end():
            return early_end
        if deadline.get_elapsed() >= next_search:
            trees.SYSTEM.find_members(tree)
            gap = min(2 * gap, _SEARCH_SECONDS)
            next_search = deadline.get_elapsed() + gap
        # The end of the output is nearly always the end of the program.
        if not output.ended.wait(min(trees.TICK_SECONDS, max(deadline.get_seconds_left(), 0))):
            continue
        time.sleep(pause)
        pause = min(2 * pause, trees.TICK_SECONDS)
    return "interrupted" if trees.is_ending() else status


def _read_status(tree: Tree) -> int | EarlyEnd | None:
    try:
        return trees.SYSTEM.read_exit_status(tree)
    except ChildProcessError:
        return "lost"


def _end_leftovers(tree: Tree, output: Output) -> int:
    """Kill what is still running shortly after the program ended; return how many."""
    deadline = time.monotonic() + DRAIN_SECONDS
    while (members := trees.SYSTEM.find_members(tree)) or not output.ended.is_set():
        if time.monotonic() >= deadline:
            break
        time.sleep(trees.TICK_SECONDS / 2) if members else output.ended.wait(trees.TICK_SECONDS)
    return trees.end_tree(tree, *trees.ENDING_STEPS[1:]) if members else 0


def _end_all(number: int, _frame: FrameType | None) -> NoReturn:
    trees.STATE.ending = "all"
    running = list(trees.STATE.trees)
    for tree in running:
        trees.SYSTEM.send(trees.SYSTEM.find_members(tree), step="terminate")
    deadline = time.monotonic() + _SIGNAL_SECONDS
    while any(trees.SYSTEM.find_members(tree) for tree in running) and time.monotonic() < deadline:
        time.sleep(trees.TICK_SECONDS / 2)
    for tree in running:
        trees.end_tree(tree, trees.KILL_STEP)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(128 + number)
