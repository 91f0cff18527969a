"""The programs in `hostile/`, and ways to see what they leave behind."""

import os
import secrets
import sys
import time
from collections.abc import Callable
from pathlib import Path

from untildone.process.runner import Finished

HOSTILE = Path(__file__).parent / "hostile"
SOURCE = Path(__file__).parents[2] / "src"


class Marked:
    """An environment of its own, by which all that was started in it is found again."""

    def __init__(self) -> None:
        self.mark = secrets.token_hex(8)
        self.env = {**os.environ, "MARKED": self.mark, "PYTHONPATH": str(SOURCE)}

    def left(self) -> list[str]:
        """The command lines of what is still there."""
        return [self._command(path) for path in Path("/proc").glob("[0-9]*") if self._here(path)]

    def _here(self, path: Path) -> bool:
        try:
            return self.mark.encode() in path.joinpath("environ").read_bytes()
        except OSError:
            return False

    def _command(self, path: Path) -> str:
        try:
            return path.joinpath("cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            return str(path)


def command(script: str) -> list[str]:
    return [sys.executable if script.endswith(".py") else "sh", str(HOSTILE / script)]


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def zombies() -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = path.read_bytes().rpartition(b")")[2].split()[:2]
        except OSError:
            continue
        if state == b"Z" and int(parent) == os.getpid():
            found.append(int(path.parent.name))
    return found


def wait_until(holds: Callable[[], object], *, seconds: float = 5) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)
    return bool(holds())


def outcome(finished: Finished) -> dict[str, object]:
    """All that differs from a program that ends with 0."""
    values = {name: getattr(finished, name) for name in Finished.__struct_fields__}
    for name in ("seconds", "head", "tail", "size"):
        del values[name]
    return {name: value for name, value in values.items() if value}
