"""The loop files of other tools: one module per tool, and the table of them.

A loop file says what an agent works on and when it is done, such as `.claude/ralph-loop.local.md`.
"""

from fnmatch import fnmatchcase

from untildone.errors import UserError
from untildone.features.importers.formats import (
    frankbria,
    hope,
    jikime,
    open_ralph,
    ralph_loop,
    shipkit,
    shipspec,
    smart_ralph,
    stravinsky,
)
from untildone.features.importers.formats.loop_format import LoopFormat

LOOP_FORMATS: dict[str, LoopFormat] = {
    "shipkit": shipkit,
    "stravinsky": stravinsky,
    "ralph-loop": ralph_loop,
    "hope": hope,
    "jikime": jikime,
    "shipspec": shipspec,
    "smart-ralph": smart_ralph,
    "frankbria": frankbria,
    "open-ralph": open_ralph,
}


def find_loop_format(path: str) -> LoopFormat:
    """Return the format whose tool keeps its loop file at this path (with forward slashes)."""
    for loop_format in LOOP_FORMATS.values():
        if any(fnmatchcase(f"/{path}", f"*/{pattern}") for pattern in loop_format.PATHS):
            return loop_format
    known = ", ".join(f"`{loop_format.PATHS[0]}`" for loop_format in LOOP_FORMATS.values())
    raise UserError(f"`{path}` is not a known loop file", hint=f"one of {known}")
