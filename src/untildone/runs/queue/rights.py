"""Which columns of the queue's tables each role writes; every role reads all of them.

The owner of the tables creates them (`untildone queue migrate`), pauses, drains and cleans.
Submitters add, cancel and retry tasks; workers do them; readers look. A column that is named
nowhere is written by nobody but the owner, and a test asks for the decision.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

Role: TypeAlias = Literal["submitter", "worker", "reader"]


class Writing(Struct, frozen=True, kw_only=True):
    """The columns of new rows, those that are changed, and whether rows are removed."""

    inserts: tuple[str, ...] = ()
    updates: tuple[str, ...] = ()
    deletes: bool = False


class TableRights(Struct, frozen=True, kw_only=True):
    submitter: Writing = Writing()
    worker: Writing = Writing()
    # Written by the database itself, or by the owner alone.
    neither: tuple[str, ...] = ()


_STATE = ("state", "worker", "cancelling", "outcome", "reason", "result", "updated_at")
_TRIES = ("attempt", "waits", "spent_micro", "faults", "deaths", "dead")
RIGHTS = {
    "untildone_task": TableRights(
        submitter=Writing(
            inserts=(
                *("id", "state", "route", "task", "options", "repository", "base", "agent"),
                *("labels", "source", "configuration", "priority", "attempt", "since_attempt"),
                *("retries", "budget_micro", "deadline_ms", "target", "plan"),
                *("added_at", "updated_at"),
            ),
            # Only as `task_changes.py` says; a trigger sees to that.
            updates=(*_STATE, *_TRIES, "since_attempt", "deadline_ms"),
        ),
        worker=Writing(updates=(*_STATE, *_TRIES, "token", "account", "not_before_ms", "evidence")),
        neither=("number",),
    ),
    "untildone_need": TableRights(submitter=Writing(inserts=("task", "needs"))),
    "untildone_worker": TableRights(
        worker=Writing(
            inserts=(
                *("id", "state", "host", "agents", "labels", "started_at", "seen_at", "pid"),
                *("jobs", "beat", "lease_ms", "account"),
            ),
            updates=("state", "beat", "seen_at"),
        )
    ),
    # A journal: nobody changes what is in it.
    "untildone_step": TableRights(
        worker=Writing(
            inserts=("task", "name", "at", "worker", "detail", "data", "attempt", "token")
        ),
        neither=("number",),
    ),
    "untildone_setting": TableRights(neither=("name", "value")),
    "untildone_merge": TableRights(
        worker=Writing(
            inserts=("id", "repository", "target", "updated_at"),
            updates=("worker", "token", "updated_at"),
        )
    ),
    # Set by the owner alone.
    "untildone_limit": TableRights(
        neither=(
            *("kind", "name", "period", "set_at", "rate", "parallel"),
            *("budget_micro", "from_micro"),
        )
    ),
    "untildone_usage": TableRights(
        worker=Writing(
            inserts=("kind", "name", "minute", "spent_micro", "starts", "last_start_ms"),
            updates=("spent_micro", "starts", "last_start_ms"),
            # Minutes that no limit asks for any more.
            deletes=True,
        )
    ),
    "untildone_account": TableRights(
        worker=Writing(
            inserts=("name", "asleep_until_ms", "last_seconds", "reason"),
            updates=("asleep_until_ms", "last_seconds", "reason"),
        )
    ),
}


def get_writing(table: str, role: Role) -> Writing:
    rights = RIGHTS[table]
    match role:
        case "submitter":
            return rights.submitter
        case "worker":
            return rights.worker
        case "reader":
            return Writing()
