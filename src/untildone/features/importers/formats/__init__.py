"""Other tools' loop files: one module each, and the table by which a path finds its own."""

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
    """By the end of the path, with `/` between its parts."""
    for dialect in LOOP_FORMATS.values():
        if any(fnmatchcase(f"/{path}", f"*/{pattern}") for pattern in dialect.PATHS):
            return dialect
    known = ", ".join(f"`{dialect.PATHS[0]}`" for dialect in LOOP_FORMATS.values())
    raise UserError(f"`{path}` is no loop file that is known", hint=f"one of {known}")
