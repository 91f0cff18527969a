"""The protocol of a loop format, and the loop it reads."""

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from untildone.core.contract import Check, Claim, ExitRule


class Source(Struct, frozen=True, kw_only=True):
    """A loop file; `beside` reads another file of the project by its relative path."""

    path: str
    data: bytes
    beside: Callable[[str], bytes | None]


class ImportedLoop(Struct, frozen=True, kw_only=True):
    """A loop as another tool's file describes it.

    `rounds` is None for our own default and 0 for no bound; `zero` names the counts that must be
    zero. `counter` is the field that counts iterations, in the file `counted_in` if that is not
    the file that was read; `count` is its value, `first` its value before the first stop.
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
    # Its tool does not remove the file at the end.
    kept: bool = False
    session: str = ""
    defaults: tuple[str, ...] = ()
    no_counterpart: tuple[str, ...] = ()

    @property
    def used(self) -> int:
        return max(0, self.count - self.first)


class LoopFormat(Protocol):
    # where its tool keeps the file, relative to the project; `*` is any name
    @property
    def PATHS(self) -> tuple[str, ...]: ...

    # the paths its tool reads when the agent stops; so do we if the user trusts that
    @property
    def AT_STOPS(self) -> tuple[str, ...]: ...

    # raises UserError if the file is not a loop
    def read(self, source: Source) -> ImportedLoop: ...


def split_alternatives(promise: str) -> tuple[str, ...]:
    """`A|B` means that one of them is enough."""
    parts = (part.strip() for part in promise.split("|"))
    return tuple(dict.fromkeys(part for part in parts if part))
