"""A command that a project's files speak for, and what every ecosystem's module offers."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from msgspec import Struct

Aspect: TypeAlias = Literal["build", "test", "lint"]


class Candidate(Struct, frozen=True, kw_only=True):
    """`tool` tells it from others of its aspect; `reason` names the file that speaks for it.

    With a `harm`, such as running for ever, it is told but never run.
    """

    aspect: Aspect
    tool: str
    command: str
    reason: str
    env: dict[str, str] = {}
    harm: str = ""


def take_until_usable(entries: Iterable[Candidate]) -> Iterator[Candidate]:
    """Up to and with the first that does no harm."""
    for entry in entries:
        yield entry
        if not entry.harm:
            return


class Ecosystem(Protocol):
    # what the files of the project speak for; nothing is executed to find out
    def candidates(self, project: Path) -> Iterator[Candidate]: ...
