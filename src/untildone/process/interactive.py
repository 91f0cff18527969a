"""Programs that are sent lines and answer with lines, such as language servers."""

import contextlib
import os
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from untildone.process.runner import DRAIN_SECONDS
from untildone.process.system import Tree
from untildone.process.trees import ENDING_STEPS, SYSTEM, end_tree, get_stdout, open_tree

_CHUNK = 64 * 1024
# How much may be waiting for a program that does not read.
_MOST_UNREAD = 16 * 1024 * 1024


class NotReadingError(Exception):
    """The program has ended, or does not read its input."""


class Conversation:
    """A running program: one thread reads, any thread may write, and writing never waits."""

    def __init__(self, tree: Tree, *, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self._tree = tree
        self._stdin = stdin
        self._stdout = stdout
        self._reading = threading.Lock()
        self._ending = threading.Lock()
        self._changed = threading.Condition()
        self._unsent: deque[bytes] = deque()
        self._unread = 0
        self._over = False
        # A daemon thread, because a process that could not be killed may keep the pipe open.
        threading.Thread(target=self._write, daemon=True).start()

    def receive(self) -> bytes:
        """Wait for the next output; empty once the program has ended."""
        with self._reading:
            if self._stdout.closed:
                return b""
            data = b""
            with contextlib.suppress(OSError):
                data = os.read(self._stdout.fileno(), _CHUNK)
            if not data:
                self._stdout.close()
            return data

    def send(self, data: bytes) -> None:
        with self._changed:
            if self._over:
                raise NotReadingError("has ended")
            if self._unread + len(data) > _MOST_UNREAD:
                raise NotReadingError("does not read what it is told")
            self._unsent.append(data)
            self._unread += len(data)
            self._changed.notify()

    def read_resident_memory(self) -> int:
        """Return the resident memory of the whole process tree in bytes, 0 if unknown."""
        return sum(map(_read_resident_memory, SYSTEM.find_members(self._tree)))

    def end(self) -> None:
        """End the program and everything it started; readers then get nothing more."""
        with self._changed:
            self._over = True
            self._changed.notify()
        with self._ending:
            end_tree(self._tree, *ENDING_STEPS[1:])
            # A process that died before its parent is re-parented to us only when the parent ends.
            SYSTEM.find_members(self._tree)
        if self._reading.acquire(timeout=DRAIN_SECONDS):
            self._stdout.close()
            self._reading.release()

    def _write(self) -> None:
        with contextlib.suppress(OSError), self._stdin as pipe:
            while data := self._take_next():
                view = memoryview(data)
                while view:
                    view = view[pipe.write(view) :]
                with self._changed:
                    self._unread -= len(data)
        with self._changed:
            self._over = True

    def _take_next(self) -> bytes:
        with self._changed:
            self._changed.wait_for(lambda: self._unsent or self._over)
            return b"" if self._over else self._unsent.popleft()


@contextlib.contextmanager
def open_conversation(
    argv: Sequence[str], *, cwd: Path | str, env: Mapping[str, str]
) -> Iterator[Conversation]:
    """Run the program inside the context; its stderr is dropped."""
    quiet = Path(os.devnull)
    with open_tree(argv, cwd=cwd, env=env, has_input=True, errors=quiet) as (tree, child):
        if child.stdin is None:
            raise ValueError("the child was started without a pipe")
        conversation = Conversation(tree, stdin=child.stdin, stdout=get_stdout(child))
        try:
            yield conversation
        finally:
            conversation.end()


def _read_resident_memory(pid: int) -> int:
    try:
        pages = Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
