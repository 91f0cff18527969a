"""Byte-code that was compiled since the baseline: a sandbox does not load it.

Python takes a `.pyc` for that of a source whose size and time it names, so an agent can put other
code there without touching the source. Byte-code from before the loop is lent: to compile it again
takes longer than most tests.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

_SUFFIX = ".pyc"
# Folders of the standard library whose modules no project imports.
_UNUSED = frozenset(("test", "tests", "idlelib", "site-packages", "dist-packages"))


def find_new_bytecode(folders: Iterable[Path], *, since: float) -> Iterator[Path]:
    """Yield byte-code in folders of modules that changed after `since`, if it can be changed.

    The change time counts, which no program can set.
    """
    pending = [str(folder) for folder in folders if os.access(folder, os.W_OK)]
    tops = set(pending)
    while pending:
        top = pending.pop()
        try:
            entries = list(os.scandir(top))
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _UNUSED or entry.path in tops:
                    pending.append(entry.path)
            elif entry.name.endswith(_SUFFIX) and _is_newer(entry, since):
                yield Path(entry.path)


def _is_newer(entry: os.DirEntry[str], since: float) -> bool:
    try:
        return entry.stat(follow_symlinks=False).st_ctime >= since
    except OSError:
        return False
