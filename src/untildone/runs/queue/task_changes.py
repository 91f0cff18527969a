"""What users may do to a task that is in the queue; the same for the commands and for the database.

`runs/queue/grants.py` makes a guard of it, so that a submitter cannot write anything else.
"""

from collections.abc import Mapping

from msgspec import Struct

from untildone.runs.queue.values import State


class TaskChange(Struct, frozen=True, kw_only=True):
    """From one of the states `before` a task gets these values, and maybe another attempt.

    Numbers that `may_be_cleared` become 0 or stay.
    """

    before: tuple[State, ...]
    values: Mapping[str, str | int]
    is_new_attempt: bool = False
    may_be_cleared: tuple[str, ...] = ()
    # Only if its branch is pushed and nothing but the merge is missing.
    needs_branch: bool = False


CANCELLED = TaskChange(before=("queued",), values={"state": "cancelled", "outcome": "cancelled"})
# Its worker ends it, or the next merge leaves it out.
CANCELLING = TaskChange(before=("running", "merging"), values={"cancelling": 1})
# Its branch is pushed already.
MERGED_AGAIN = TaskChange(
    before=("ended", "cancelled"),
    values={"state": "merging", "cancelling": 0, "outcome": "", "reason": ""},
    needs_branch=True,
)
RETRIED = TaskChange(
    before=("ended", "cancelled"),
    values={
        "state": "queued",
        "worker": "",
        "cancelling": 0,
        "outcome": "",
        "reason": "",
        "result": "",
        "waits": "",
        "spent_micro": 0,
        "faults": 0,
        "deaths": 0,
        "dead": 0,
    },
    is_new_attempt=True,
    # One that has passed.
    may_be_cleared=("deadline_ms",),
)
# It was just added, and others must be done before it.
HELD = TaskChange(before=("queued",), values={"waits": "need"})
CHANGES = (CANCELLED, CANCELLING, MERGED_AGAIN, RETRIED, HELD)
