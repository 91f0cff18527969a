"""The problems that `doctor` finds."""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct


class Problem(Struct, frozen=True, kw_only=True, rename={"fix": "mend"}):
    """`fix` is the command or edit that solves it; a note may need none."""

    name: str
    level: Literal["error", "note"]
    text: str
    fix: str = ""


class Diagnosis(Struct, frozen=True, kw_only=True):
    """What `doctor --json` prints."""

    ok: bool
    findings: tuple[Problem, ...]


def build_diagnosis(problems: Iterable[Problem]) -> Diagnosis:
    """Return the problems with errors before notes."""
    ordered = tuple(sorted(problems, key=lambda problem: problem.level))
    ok = all(problem.level == "note" for problem in ordered)
    return Diagnosis(ok=ok, findings=ordered)


def make_error(name: str, text: str, fix: str) -> Problem:
    return Problem(name=name, level="error", text=text, fix=fix)


def make_note(name: str, text: str, fix: str = "") -> Problem:
    return Problem(name=name, level="note", text=text, fix=fix)
