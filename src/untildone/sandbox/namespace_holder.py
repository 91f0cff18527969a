"""The process that holds the namespaces of one sandbox, as long as the sandbox is open."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from untildone.process.interactive import open_conversation
from untildone.sandbox import namespaces


class _Answer(Struct, frozen=True):
    """What `namespaces.py hold` prints: the first process inside, or why there is none."""

    pid: int = 0
    error: str = ""
    missing: tuple[str, ...] = ()


@contextmanager
def hold_namespaces(plan_file: Path) -> Iterator[int]:
    """Yield the id of the first process inside, 0 if the system does not allow what is planned.

    Everything that still runs inside is killed at the end.
    """
    argv = (sys.executable, "-I", "-S", str(namespaces.__file__), "hold", str(plan_file))
    with open_conversation(argv, cwd=plan_file.parent, env=dict(os.environ)) as conversation:
        answer = b""
        while not answer.endswith(b"\n") and (data := conversation.receive()):
            answer += data
        yield msgspec.json.decode(answer, type=_Answer).pid if answer else 0


def list_entry_argv(pid: int) -> tuple[str, ...]:
    """Return the beginning of a command line that runs the rest of it inside."""
    return (sys.executable, "-I", "-S", str(namespaces.__file__), "enter", str(pid), "--")
