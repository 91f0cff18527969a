"""The user's switches for edits: a file of words that a shell can test.

`auto`: without a loop, a turn whose edits introduce errors is held. `tell`: the errors that an
edit introduces are reported at once. Standard library only: hooks read it.
"""

import os

AUTO = "auto"
TELL = "tell"
_NAME = "edits"
_LONGEST = 100


def read_modes(home: str) -> frozenset[str]:
    try:
        with open(os.path.join(home, _NAME), encoding="utf-8", errors="replace") as file:
            return frozenset(file.read(_LONGEST).split()) & {AUTO, TELL}
    except OSError:
        return frozenset()


def write_modes(home: str, modes: frozenset[str]) -> None:
    path = os.path.join(home, _NAME)
    if not modes:
        if os.path.lexists(path):
            os.unlink(path)
        return
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(" ".join(sorted(modes)) + "\n")
    os.replace(temporary, path)
