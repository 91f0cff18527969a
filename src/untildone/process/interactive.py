"""Programs that are sent lines and answer with lines, such as language servers."""

import contextlib
import os
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from untildone.process.command import explain_missing_program
from untildone.process.runner import (
    _GENTLE_STEPS,
    _SYSTEM,
    DRAIN_SECONDS,
    _end,
    _pipe,
    _spawn,
    _tree,
)
from untildone.process.system import Tree

_CHUNK = 64 * 1024
# How much may be waiting for a program that does not read.
_MOST_UNREAD = 16 * 1024 * 1024


class CannotStart(Exception):  # noqa: N818 - reads as what the program does
    """The program could not be started; the message names it and the reason."""


class NotListening(Exception):  # noqa: N818 - reads as what the program does
    """The program has ended, or does not read its input."""


class Conversation:
    """One thread reads; any thread may write, and writing never waits for the program."""

    def __init__(self, tree: Tree, *, ear: IO[bytes], voice: IO[bytes]) -> None:
        self._tree = tree
        self._ear = ear
        self._voice = voice
        self._hearing = threading.Lock()
        self._ending = threading.Lock()
        self._changed = threading.Condition()
        self._unsaid: deque[bytes] = deque()
        self._unread = 0
        self._over = False
        # A daemon thread, because a process that could not be killed may keep the pipe open.
        threading.Thread(target=self._write, daemon=True).start()

    def hear(self) -> bytes:
        """Wait for the next output; empty once the program has ended."""
        with self._hearing:
            if self._voice.closed:
                return b""
            data = b""
            with contextlib.suppress(OSError):
                data = os.read(self._voice.fileno(), _CHUNK)
            if not data:
                self._voice.close()
            return data

    def say(self, data: bytes) -> None:
        with self._changed:
            if self._over:
                raise NotListening("has ended")
            if self._unread + len(data) > _MOST_UNREAD:
                raise NotListening("does not read what it is told")
            self._unsaid.append(data)
            self._unread += len(data)
            self._changed.notify()

    def resident(self) -> int:
        """Return the resident memory of the whole process tree in bytes, 0 if unknown."""
        return sum(map(_resident, _SYSTEM.members(self._tree)))

    def end(self) -> None:
        """End the program and everything it started; readers then get nothing more."""
        with self._changed:
            self._over = True
            self._changed.notify()
        with self._ending:
            _end(self._tree, *_GENTLE_STEPS[1:])
            # A process that died before its parent is re-parented to us only when the parent ends.
            _SYSTEM.members(self._tree)
        if self._hearing.acquire(timeout=DRAIN_SECONDS):
            self._voice.close()
            self._hearing.release()

    def _write(self) -> None:
        with contextlib.suppress(OSError), self._ear as pipe:
            while data := self._next():
                view = memoryview(data)
                while view:
                    view = view[pipe.write(view) :]
                with self._changed:
                    self._unread -= len(data)
        with self._changed:
            self._over = True

    def _next(self) -> bytes:
        with self._changed:
            self._changed.wait_for(lambda: self._unsaid or self._over)
            return b"" if self._over else self._unsaid.popleft()


@contextlib.contextmanager
def open_conversation(
    argv: Sequence[str], *, cwd: Path | str, env: Mapping[str, str]
) -> Iterator[Conversation]:
    """Run the program inside the context; its stderr is dropped."""
    with _tree(env) as (tree, marked):
        try:
            child = _spawn(argv, cwd=cwd, env=marked, fed=True, errors=Path(os.devnull))
        except (OSError, ValueError, IndexError) as error:
            raise CannotStart(explain_missing_program(argv, cwd=Path(cwd), error=error)) from error
        tree.pid, tree.poll = child.pid, child.poll
        if child.stdin is None:
            raise ValueError("the child was started without a pipe")
        conversation = Conversation(tree, ear=child.stdin, voice=_pipe(child))
        try:
            yield conversation
        finally:
            conversation.end()


def _resident(pid: int) -> int:
    try:
        pages = Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
