"""The user's switches for edits: a file of words that a shell can test.

`auto`: without a loop, a turn whose edits introduce errors is held. `tell`: the errors that an
edit introduces are reported at once. Standard library only: hooks read it.
"""

import os

AUTO = "auto"
TELL = "tell"
_FILE = "edits"
_MAX_CHARACTERS = 100


def read_modes(home: str) -> frozenset[str]:
    """Return the modes that are on: `auto`, `tell`, both or none."""
    try:
        with open(os.path.join(home, _FILE), encoding="utf-8", errors="replace") as file:
            return frozenset(file.read(_MAX_CHARACTERS).split()) & {AUTO, TELL}
    except OSError:
        return frozenset()


def write_modes(home: str, modes: frozenset[str]) -> None:
    """Switch exactly these modes on; without any the file is removed."""
    path = os.path.join(home, _FILE)
    if not modes:
        if os.path.lexists(path):
            os.unlink(path)
        return
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(" ".join(sorted(modes)) + "\n")
    os.replace(temporary, path)
