"""The kind of work a spec asks for, and the first step of that kind."""

import re
from typing import Literal, TypeAlias

from msgspec import Struct

WorkflowName: TypeAlias = Literal["build", "debug", "refactor"]


class Workflow(Struct, frozen=True, kw_only=True):
    name: WorkflowName
    letter: str
    first: str


_INDICATORS: tuple[tuple[Workflow, str], ...] = (
    (
        Workflow(
            name="build",
            letter="A",
            first="look for a library that does it before you write it yourself",
        ),
        r"add|implement|create|build|write|introduce|new feature",
    ),
    (
        Workflow(name="debug", letter="B", first="find the root cause before any workaround"),
        r"fix|debug|broken|errors?|failing|fails?|bugs?|crash(?:es)?|regression",
    ),
    (
        Workflow(
            name="refactor", letter="C", first="delete what is not needed before you redesign"
        ),
        r"refactor|clean ?up|reorgani[sz]e|restructure|migrate|simplify|port|rename",
    ),
)
_MAX_SPEC = 20_000


def classify_workflow(spec: str) -> Workflow | None:
    """The kind whose indicator comes first: "fix the new feature" is debugging."""
    found = [(_find_position(pattern, spec[:_MAX_SPEC]), kind) for kind, pattern in _INDICATORS]
    said = [(place, kind) for place, kind in found if place >= 0]
    return min(said, key=lambda item: item[0])[1] if said else None


def _find_position(pattern: str, spec: str) -> int:
    found = re.search(rf"(?i)\b(?:{pattern})\b", spec)
    return found.start() if found else -1
