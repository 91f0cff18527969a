"""What users may do to a task that is in the queue; the same for the commands and for the database.

`runs/queue/grants.py` makes a guard of it, so that a submitter cannot write anything else.
"""

from collections.abc import Mapping

from msgspec import Struct

from untildone.runs.queue.values import State


class TaskChange(Struct, frozen=True, kw_only=True):
    """From one of the states `before` a task gets these values, and maybe another attempt."""

    before: tuple[State, ...]
    values: Mapping[str, str | int]
    is_new_attempt: bool = False


CANCELLED = TaskChange(before=("queued",), values={"state": "cancelled", "outcome": "cancelled"})
# Its worker ends it.
CANCELLING = TaskChange(before=("running",), values={"cancelling": 1})
RETRIED = TaskChange(
    before=("ended", "cancelled"),
    values={
        "state": "queued",
        "worker": "",
        "cancelling": 0,
        "outcome": "",
        "reason": "",
        "result": "",
    },
    is_new_attempt=True,
)
CHANGES = (CANCELLED, CANCELLING, RETRIED)
