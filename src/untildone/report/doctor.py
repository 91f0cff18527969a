"""What `doctor` found, as a person and a script read it."""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct


class Problem(Struct, frozen=True, kw_only=True):
    """`mend` is the command or edit that mends it; a note may need none."""

    name: str
    level: Literal["error", "note"]
    text: str
    mend: str = ""


class Diagnosis(Struct, frozen=True, kw_only=True):
    """What `doctor --json` prints."""

    ok: bool
    findings: tuple[Problem, ...]


def build_diagnosis(troubles: Iterable[Problem]) -> Diagnosis:
    """What must be mended comes first."""
    found = tuple(sorted(troubles, key=lambda trouble: trouble.level))
    return Diagnosis(ok=all(trouble.level == "note" for trouble in found), findings=found)


def make_error(name: str, text: str, mend: str) -> Problem:
    return Problem(name=name, level="error", text=text, mend=mend)


def make_note(name: str, text: str, mend: str = "") -> Problem:
    return Problem(name=name, level="note", text=text, mend=mend)
