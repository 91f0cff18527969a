"""What a module of this room is: one tool's loop file, read into our words."""

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from untildone.core.contract import Check, Claim, ExitRule


class Source(Struct, frozen=True, kw_only=True):
    """A file as it was found; `beside` reads another file of the project by its relative path."""

    path: str
    data: bytes
    beside: Callable[[str], bytes | None]


class ImportedLoop(Struct, frozen=True, kw_only=True):
    """A loop as another tool's file tells it.

    `rounds` None is our own bound, 0 none; `zero` names the counts that must be zero. `counter` is
    the field that counts iterations, in the file `counted_in` if not the one that was read;
    `count` its value, `first` what it is before the first judged stop.
    """

    task: str = ""
    preset: str = ""
    counter: str = "iteration"
    counted_in: str = ""
    count: int = 1
    first: int = 1
    rounds: int | None = None
    stagnation: int | None = None
    promises: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    checks: tuple[Check, ...] = ()
    steps: tuple[str, ...] = ()
    steps_done: tuple[str, ...] = ()
    zero: tuple[str, ...] = ()
    # The paths whose findings count.
    targets: tuple[str, ...] = ()
    done_when: ExitRule | None = None
    active: bool = True
    # Its tool leaves the file there at the end.
    kept: bool = False
    session: str = ""
    defaults: tuple[str, ...] = ()
    no_counterpart: tuple[str, ...] = ()

    @property
    def used(self) -> int:
        return max(0, self.count - self.first)


class LoopFormat(Protocol):
    # where its tool keeps it, below the project; `*` is any one name
    @property
    def PATHS(self) -> tuple[str, ...]: ...

    # those its tool looks at when the agent stops: so do we, where the person trusts that
    @property
    def AT_STOPS(self) -> tuple[str, ...]: ...

    # raises UserError where the file cannot be a loop
    def read(self, source: Source) -> ImportedLoop: ...


def split_alternatives(promise: str) -> tuple[str, ...]:
    """`A|B`: one of them is enough."""
    parts = (part.strip() for part in promise.split("|"))
    return tuple(dict.fromkeys(part for part in parts if part))
