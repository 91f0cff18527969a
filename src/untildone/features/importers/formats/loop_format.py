"""The protocol of a loop format, the loop it reads, and what most formats read alike."""

from collections.abc import Callable
from typing import Any, Protocol

from msgspec import Struct

from untildone.core.contract import Check, Claim, ExitRule
from untildone.features.importers.fields import Fields


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


def read_rest(
    fields: Fields,
    *,
    rounds: int,
    counter: str = "iteration",
    first: int = 1,
    bound: str = "max_iterations",
) -> dict[str, Any]:
    """What most formats say alike; read last, because it lists the fields that nobody read.

    `rounds` is used if the file has no `bound`.
    """
    return {
        "counter": counter,
        "count": fields.count(counter, first),
        "first": first,
        "rounds": fields.rounds(bound, rounds),
        "active": fields.flag("active", True),
        **list_differences(fields),
    }


def list_differences(fields: Fields) -> dict[str, Any]:
    """The values replaced by defaults, and the fields without a counterpart here."""
    return {"defaults": tuple(fields.defaults), "no_counterpart": fields.left_over()}


def read_promises(fields: Fields, key: str, *, required: bool = False) -> tuple[str, ...]:
    """`A|B` means that one of them is enough."""
    parts = (part.strip() for part in fields.text(key).split("|"))
    promises = tuple(dict.fromkeys(part for part in parts if part))
    if required and not promises:
        raise fields.make_error(key, "is missing", hint="write the text that says it is done")
    return promises
