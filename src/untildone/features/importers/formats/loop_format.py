"""What a reader of another tool's loop files takes and returns.

A format (`LoopFormat`) takes the content of one file (`Source`) and returns the loop that the file
describes (`ImportedLoop`). The functions below read the fields that most formats share:

    iteration: 3                  ->  ImportedLoop(count=3, rounds=10, promises=("DONE",))
    max_iterations: 10
    completion_promise: DONE
"""

from collections.abc import Callable
from typing import Any, Protocol

from msgspec import Struct

from untildone.core.check_results import Totals
from untildone.core.contract import Check, Claim, ExitRule
from untildone.features.importers.fields import Fields


class Source(Struct, frozen=True, kw_only=True):
    """The content of a loop file; its path is relative to the project.

    `read_other_file` takes the relative path of another file of the project that belongs to the
    loop, such as its prompt, and returns None if it cannot be read.
    """

    path: str
    data: bytes
    read_other_file: Callable[[str], bytes | None]


class Snapshot(Struct, frozen=True, kw_only=True):
    """What another tool counted in one of its iterations, at the time `at`."""

    number: int
    at: str
    totals: Totals


class ImportedLoop(Struct, frozen=True, kw_only=True):
    """A loop as another tool's file describes it."""

    task: str = ""
    preset: str = ""
    # The field that counts iterations; empty if the format has none.
    counter_key: str = "iteration"
    # The file with that field if it is not the file that was read, relative to the project.
    counter_file: str = ""
    # The value of that field, and its value before the first stop of the agent.
    count: int = 1
    round_offset: int = 1
    # The limit of rounds: None for our own default, 0 for no limit.
    rounds: int | None = None
    # After how many rounds without progress the loop pauses; None for our own default.
    stagnation: int | None = None
    # The texts of which the agent must say one to be done.
    promises: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    checks: tuple[Check, ...] = ()
    steps: tuple[str, ...] = ()
    steps_done: tuple[str, ...] = ()
    # The counts that must be zero at the end, such as `zero_errors`.
    zero_counts: tuple[str, ...] = ()
    # The paths whose findings count.
    targets: tuple[str, ...] = ()
    # What its own tool has counted so far, the oldest first.
    snapshots: tuple[Snapshot, ...] = ()
    # The plan whose criteria count, relative to the project, and its task; empty: all tasks.
    plan_file: str = ""
    plan_task: str = ""
    done_when: ExitRule | None = None
    active: bool = True
    # Whether its tool leaves the file in place at the end.
    keep_at_end: bool = False
    # The id of the session that the file belongs to, if it names one.
    session: str = ""
    # Messages about values that were missing or wrong, so that a default is used.
    defaults: tuple[str, ...] = ()
    # The fields of the file that have no meaning for us.
    ignored_fields: tuple[str, ...] = ()

    @property
    def rounds_used(self) -> int:
        """How many rounds its own tool has already counted."""
        return max(0, self.count - self.round_offset)


class LoopFormat(Protocol):
    """A module of this package that reads the loop files of one tool."""

    # Where its tool keeps the file, relative to the project; `*` is any name.
    @property
    def PATHS(self) -> tuple[str, ...]: ...

    # The paths that its tool reads when the agent stops. In projects whose loop files the user
    # trusts, we read them then, too.
    @property
    def AT_STOPS(self) -> tuple[str, ...]: ...

    # Return the loop that the file describes; raise UserError if it describes none.
    def read_loop(self, source: Source) -> ImportedLoop: ...


def read_shared_fields(
    fields: Fields,
    *,
    rounds: int,
    counter_key: str = "iteration",
    round_offset: int = 1,
    rounds_key: str = "max_iterations",
) -> dict[str, Any]:
    """Return the arguments of `ImportedLoop` that most formats share: counter and limit of rounds.

    Call it after every other field was read: the fields that nobody read are listed as ignored.
    `rounds` is the limit if the file has no field `rounds_key`.
    """
    return {
        "counter_key": counter_key,
        "count": fields.count(counter_key, round_offset),
        "round_offset": round_offset,
        "rounds": fields.rounds(rounds_key, rounds),
        **list_differences(fields),
    }


def list_differences(fields: Fields) -> dict[str, Any]:
    """Return the arguments of `ImportedLoop` that say what was replaced or ignored."""
    return {"defaults": tuple(fields.defaults), "ignored_fields": fields.list_unread_keys()}


def read_promises(fields: Fields, key: str, *, required: bool = False) -> tuple[str, ...]:
    """Return the texts of which the agent must say one to be done: `A|B` allows either.

    Raises UserError if the field is required but missing.
    """
    parts = (part.strip() for part in fields.text(key).split("|"))
    promises = tuple(dict.fromkeys(part for part in parts if part))
    if required and not promises:
        raise fields.make_error(key, "is missing", hint="write the text that says it is done")
    return promises
