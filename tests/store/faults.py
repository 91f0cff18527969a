"""Something happens at the n-th call of the operating system, without any change to the code."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

CALLS = frozenset(
    {"open", "read", "write", "fsync", "link", "rename", "replace", "unlink", "ftruncate", "mkdir"}
)


@contextmanager
def at_call(number: int, act: Callable[[], None]) -> Iterator[list[str]]:
    """Yields the names of the calls made so far."""
    made: list[str] = []

    def watch(_: FrameType, event: str, function: object) -> None:
        name = getattr(function, "__name__", "")
        if event != "c_call" or name not in CALLS:
            return
        if getattr(function, "__module__", "") not in {"posix", "nt"}:
            return
        made.append(name)
        if len(made) == number:
            act()

    sys.setprofile(watch)
    try:
        yield made
    finally:
        sys.setprofile(None)
