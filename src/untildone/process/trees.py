"""The programs that this process starts: their process trees, marked, searched and ended."""

import contextlib
import errno
import secrets
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Literal

from untildone.check_lineage import RUN_VARIABLE, get_own_mark, name_process
from untildone.process.command import explain_missing_program
from untildone.process.system import Step, Strays, Tree, select_system

TICK_SECONDS = 0.05
_FIRST_PAUSE = 0.003
KILL_STEP: tuple[Step, float] = ("kill", 5.0)
# How a tree is ended, and how many seconds each step may take.
ENDING_STEPS: tuple[tuple[Step, float], ...] = (("interrupt", 1.0), ("terminate", 1.0), KILL_STEP)


class CannotStartError(Exception):
    """The program could not be started; the message names it and the reason."""


def _run_system_tool(argv: Sequence[str]) -> str:
    try:
        tool = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return tool.stdout


SYSTEM = select_system(_run_system_tool)


class _State:
    """The runs of this process."""

    def __init__(self) -> None:
        self.trees: set[Tree] = set()
        self.detached: list[subprocess.Popen[bytes]] = []
        self.ending: Literal["", "workers", "all"] = ""
        # Our child processes before the first tree was started, None if unknown.
        self.other_children: frozenset[int] | None = None
        # Held while strays are searched: a program started then would look like one.
        self.starting = threading.RLock()
        # How many trees need the mark, and the name of this process before it carried the mark.
        self.marking = threading.Lock()
        self.marked_trees = 0
        self.name_before = b""


STATE = _State()


def is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def is_ending() -> bool:
    """Say whether a signal ends this process, so that this thread must start nothing more."""
    return STATE.ending == "all" or (STATE.ending == "workers" and not is_main_thread())


@contextlib.contextmanager
def open_tree(
    argv: Sequence[str],
    *,
    cwd: Path | str,
    env: Mapping[str, str],
    has_input: bool = False,
    errors: Path | None = None,
    hosts_agent: bool = False,
) -> Iterator[tuple[Tree, subprocess.Popen[bytes]]]:
    """Start a program, whose descendants are marked by their environment, and forget it after.

    Whoever opens the tree ends it; it is killed only if an exception leaves the context.
    """
    SYSTEM.prepare()
    with contextlib.nullcontext("") if hosts_agent else _carry_mark() as mark:
        tree = Tree(f"{mark}.{secrets.token_hex(8)}")
        # An outer run must also find what an inner one leaves behind.
        marks = ",".join(filter(None, (env.get(RUN_VARIABLE), tree.token)))
        tree.hosts_agent = hosts_agent
        tree.list_others = partial(_list_others, tree)
        # Registered before it starts, because a signal may arrive in between.
        _register(tree)
        try:
            marked = {**env, RUN_VARIABLE: marks}
            child = _spawn(argv, cwd=cwd, env=marked, has_input=has_input, errors=errors)
            tree.pid, tree.poll = child.pid, child.poll
            yield tree, child
        except BaseException:
            end_tree(tree, KILL_STEP)
            raise
        finally:
            _forget(tree)


@contextlib.contextmanager
def _carry_mark() -> Iterator[str]:
    """Give this process the mark as its name; nested and concurrent uses share it."""
    mark = get_own_mark()
    if not mark:
        yield ""
        return
    with STATE.marking:
        STATE.marked_trees += 1
        if STATE.marked_trees == 1:
            STATE.name_before = name_process(mark.encode())
    try:
        yield mark
    finally:
        with STATE.marking:
            STATE.marked_trees -= 1
            if not STATE.marked_trees and STATE.name_before:
                name_process(STATE.name_before)


def _spawn(
    argv: Sequence[str],
    *,
    cwd: Path | str,
    env: Mapping[str, str],
    has_input: bool,
    errors: Path | None,
) -> subprocess.Popen[bytes]:
    def popen(argv: Sequence[str] | str, stderr: IO[bytes] | int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            bufsize=0,
            stdin=subprocess.PIPE if has_input else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
            creationflags=SYSTEM.flags,
        )

    try:
        with STATE.starting, contextlib.ExitStack() as stack:
            stderr = stack.enter_context(errors.open("wb")) if errors else subprocess.STDOUT
            try:
                return popen(SYSTEM.prepare_argv(argv, env), stderr)
            except OSError as error:
                if error.errno != errno.ENOEXEC:
                    raise
                # Like every shell: a script without a `#!` line is run by sh.
                return popen(["sh", *argv], stderr)
    except (OSError, ValueError, IndexError) as error:
        raise CannotStartError(explain_missing_program(argv, cwd=Path(cwd), error=error)) from error


def start_detached(argv: Sequence[str], *, cwd: Path | str, env: Mapping[str, str]) -> int:
    """Start a program that outlives this process and return its process id."""
    STATE.detached = [child for child in STATE.detached if child.poll() is None]
    with STATE.starting:
        child = subprocess.Popen(
            SYSTEM.prepare_argv(argv, env),
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            creationflags=SYSTEM.detached_flags,
        )
        STATE.detached.append(child)
    return child.pid


def get_stdout(child: subprocess.Popen[bytes]) -> IO[bytes]:
    if child.stdout is None:
        raise ValueError("the child was started without a pipe")
    SYSTEM.widen(child.stdout.fileno())
    return child.stdout


def end_tree(tree: Tree, *steps: tuple[Step, float]) -> int:
    """Take the steps until no process is left; return how many there were."""
    found = members = SYSTEM.find_members(tree)
    for step, seconds in steps:
        deadline = time.monotonic() + seconds
        pause = _FIRST_PAUSE
        SYSTEM.send(members, step=step)
        while (members := SYSTEM.find_members(tree)) and time.monotonic() < deadline:
            time.sleep(pause)
            pause = min(2 * pause, TICK_SECONDS / 2)
            if step == "kill":
                SYSTEM.send(members, step=step)
        if not members:
            break
    return len(found)


def _list_others(tree: Tree) -> frozenset[int]:
    """Return the programs that we started besides this one; orphans of theirs are not known."""
    # Copied at once: other threads start and end programs meanwhile.
    running, detached = tuple(STATE.trees), tuple(STATE.detached)
    return frozenset(
        (
            *(other.pid for other in running if other is not tree),
            *(child.pid for child in detached if child.returncode is None),
        )
    )


def _register(tree: Tree) -> None:
    with STATE.starting:
        if not STATE.trees:
            STATE.other_children = SYSTEM.list_children()
        STATE.trees.add(tree)


def _forget(tree: Tree) -> None:
    """Unregister the tree; after the last check, kill strays that left their session."""
    with STATE.starting:
        STATE.trees.discard(tree)
        tree.poll()
        other_children = STATE.other_children
        if other_children is not None and all(other.hosts_agent for other in STATE.trees):
            children = other_children.union(child.pid for child in STATE.detached)
            end_tree(Strays(children, spared=STATE.trees), KILL_STEP)
