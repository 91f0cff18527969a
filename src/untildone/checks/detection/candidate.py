"""A command that may become a check, and the protocol of an ecosystem module."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from msgspec import Struct

Aspect: TypeAlias = Literal["build", "test", "lint"]


class Candidate(Struct, frozen=True, kw_only=True):
    """A command found in a project's files.

    `tool` distinguishes it from others of its aspect, `reason` names the file it comes from.
    With a `harm`, such as running forever, it is shown to the user but never run.
    """

    aspect: Aspect
    tool: str
    command: str
    reason: str
    env: dict[str, str] = {}
    harm: str = ""


def take_until_usable(entries: Iterable[Candidate]) -> Iterator[Candidate]:
    """Yield the entries up to and including the first one without harm."""
    for entry in entries:
        yield entry
        if not entry.harm:
            return


class Ecosystem(Protocol):
    # commands that the files of the project suggest; nothing is executed
    def find_candidates(self, project: Path) -> Iterator[Candidate]: ...
