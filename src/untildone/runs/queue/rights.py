"""Which columns of the queue's tables each role writes; every role reads all of them.

The owner of the tables creates them (`untildone queue migrate`), pauses and drains. Submitters add,
cancel and retry tasks; workers do them; readers look. A column that is named nowhere is written by
nobody but the owner, and a test asks for the decision.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

Role: TypeAlias = Literal["submitter", "worker", "reader"]


class Writing(Struct, frozen=True, kw_only=True):
    """The columns that a role gives a new row, and those that it changes."""

    inserts: tuple[str, ...] = ()
    updates: tuple[str, ...] = ()


class TableRights(Struct, frozen=True, kw_only=True):
    submitter: Writing = Writing()
    worker: Writing = Writing()
    # Written by the database itself, or by the owner alone.
    neither: tuple[str, ...] = ()


_STATE = ("state", "worker", "cancelling", "outcome", "reason", "result", "updated_at")
RIGHTS = {
    "untildone_task": TableRights(
        submitter=Writing(
            inserts=(
                *("id", "state", "route", "task", "options", "repository", "base", "agent"),
                *("labels", "source", "configuration", "priority", "attempt"),
                *("added_at", "updated_at"),
            ),
            # Only as `task_changes.py` says; a trigger sees to that.
            updates=(*_STATE, "attempt"),
        ),
        worker=Writing(updates=(*_STATE, "token")),
        neither=("number",),
    ),
    "untildone_need": TableRights(submitter=Writing(inserts=("task", "needs"))),
    "untildone_worker": TableRights(
        worker=Writing(
            inserts=(
                *("id", "state", "host", "agents", "labels", "started_at", "seen_at", "pid"),
                *("jobs", "beat", "lease_ms"),
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
