"""The problems that `doctor` finds."""

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct


class Problem(Struct, frozen=True, kw_only=True, rename={"fix": "mend"}):
    """`fix` is the command or edit that solves it; a note may need none."""

    name: str
    level: Literal["error", "note"]
    text: str
    fix: str = ""


class LookedAt(Struct, frozen=True, kw_only=True):
    """One thing that `doctor` looked at; `at` names files or folders where there are any."""

    name: str
    result: Literal["ok", "note", "error"]
    at: str = ""


class Diagnosis(Struct, frozen=True, kw_only=True):
    """What `doctor --json` prints."""

    ok: bool
    findings: tuple[Problem, ...]
    looked_at: tuple[LookedAt, ...] = ()


def build_diagnosis(
    problems: Mapping[str, Sequence[Problem]], places: Mapping[str, str]
) -> Diagnosis:
    """Return the problems with errors before notes; they are given by what was looked at."""
    found = [problem for some in problems.values() for problem in some]
    ordered = tuple(sorted(found, key=lambda problem: problem.level))
    looked_at = tuple(
        LookedAt(
            name=name,
            # "error" comes before "note".
            result=min((problem.level for problem in some), default="ok"),
            at=places.get(name, ""),
        )
        for name, some in problems.items()
    )
    ok = all(problem.level == "note" for problem in ordered)
    return Diagnosis(ok=ok, findings=ordered, looked_at=looked_at)


def make_error(name: str, text: str, fix: str) -> Problem:
    return Problem(name=name, level="error", text=text, fix=fix)


def make_note(name: str, text: str, fix: str = "") -> Problem:
    return Problem(name=name, level="note", text=text, fix=fix)
