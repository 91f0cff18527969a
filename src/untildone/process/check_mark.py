"""The mark that this process carries as its name while it runs checks."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from untildone.check_lineage import get_own_mark, name_process


class _Carried:
    lock = threading.Lock()
    checks = 0
    name_before = b""


@contextmanager
def carrying_mark() -> Iterator[str]:
    """Give this process the mark as its name; nested and concurrent uses share it."""
    mark = get_own_mark()
    if not mark:
        yield ""
        return
    with _Carried.lock:
        _Carried.checks += 1
        if _Carried.checks == 1:
            _Carried.name_before = name_process(mark.encode())
    try:
        yield mark
    finally:
        with _Carried.lock:
            _Carried.checks -= 1
            if not _Carried.checks and _Carried.name_before:
                name_process(_Carried.name_before)
