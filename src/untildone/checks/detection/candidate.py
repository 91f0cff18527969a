"""A command that a project's files speak for, and what every ecosystem's module offers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from msgspec import Struct

Aspect: TypeAlias = Literal["build", "test", "lint"]


class Candidate(Struct, frozen=True, kw_only=True):
    """`tool` tells it from others of its aspect; `reason` names the file that speaks for it."""

    aspect: Aspect
    tool: str
    command: str
    reason: str
    env: dict[str, str] = {}


class Ecosystem(Protocol):
    # what the files of the project speak for; nothing is executed to find out
    def candidates(self, project: Path) -> Iterator[Candidate]: ...
