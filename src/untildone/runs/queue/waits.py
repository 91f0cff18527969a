"""What a queued task waits for, so that the next task is found without looking at those that wait.

`waits` is empty for a task that may be taken, else `need` (others must be done first), `time` (the
next try is not due yet) or `limit` (its own budget is more than a limit allows at all).
"""

from typing import Any

import sqlalchemy as sa

from untildone.runs.queue.deadline_times import explain_passed
from untildone.runs.queue.tables import NEEDS, STEPS, TASKS

_AT_ONCE = 100


def is_sweep_due(connection: sa.Connection, now_ms: int) -> bool:
    found = sa.select(sa.or_(select_due(now_ms).exists(), select_late(now_ms).exists()))
    return bool(connection.execute(found).scalar())


def sweep(connection: sa.Connection, now_ms: int, *, at: str, worker: str) -> None:
    """Wake tasks whose time has come and end queued ones whose deadline has passed."""
    late = connection.execute(select_late(now_ms)).all()
    for row in late:
        reason = explain_passed(row.deadline_ms)
        values = {"state": "ended", "outcome": "out-of-time", "reason": reason, "waits": ""}
        ended = sa.update(TASKS).where(TASKS.c.number == row.number)
        connection.execute(ended.values(**values, updated_at=at))
        step = {"task": row.id, "attempt": row.attempt, "token": row.token, "worker": worker}
        connection.execute(STEPS.insert().values(**step, name="ended", detail=reason, at=at))
    due = connection.execute(select_due(now_ms)).scalars().all()
    if due:
        connection.execute(sa.update(TASKS).where(TASKS.c.number.in_(due)).values(waits=""))


def select_due(now_ms: int) -> sa.Select[Any]:
    return (
        sa.select(TASKS.c.number)
        # As it stands in the index, whose condition must be recognized.
        .where(TASKS.c.waits == sa.literal_column("'time'"), TASKS.c.not_before_ms <= now_ms)
        .limit(_AT_ONCE)
    )


def select_late(now_ms: int) -> sa.Select[Any]:
    return (
        sa.select(TASKS.c.number, TASKS.c.id, TASKS.c.attempt, TASKS.c.token, TASKS.c.deadline_ms)
        .where(
            TASKS.c.state == "queued",
            TASKS.c.deadline_ms > sa.literal_column("0"),
            TASKS.c.deadline_ms <= now_ms,
        )
        .limit(_AT_ONCE)
    )


def has_unmet_need(task: sa.Table | sa.Alias = TASKS) -> sa.ColumnElement[bool]:
    """Return the condition that a task must be done before this one and is not."""
    needed = TASKS.alias()
    return sa.exists().where(
        NEEDS.c.task == task.c.id, NEEDS.c.needs == needed.c.id, needed.c.state != "done"
    )


def hold_early(connection: sa.Connection, names: list[str]) -> None:
    """Let new tasks wait for those that they come after; under the lock, so that none is missed."""
    early = sa.update(TASKS).where(TASKS.c.id.in_(names), has_unmet_need())
    connection.execute(early.values(waits="need"))


def release_dependents(connection: sa.Connection, name: str) -> None:
    """Free the tasks that waited for this one alone, which is done now; under the lock."""
    dependents = sa.select(NEEDS.c.task).where(NEEDS.c.needs == name)
    freed = sa.update(TASKS).where(
        TASKS.c.id.in_(dependents), TASKS.c.waits == "need", ~has_unmet_need()
    )
    connection.execute(freed.values(waits=""))


def hold_for_limit(connection: sa.Connection, name: str) -> None:
    """Put a task aside that no limit would ever let pass, so that it stops no other."""
    connection.execute(sa.update(TASKS).where(TASKS.c.id == name).values(waits="limit"))


def release_held(connection: sa.Connection) -> None:
    """Look again at what was put aside: the limits have changed."""
    held = sa.update(TASKS).where(TASKS.c.state == "queued", TASKS.c.waits == "limit")
    connection.execute(held.values(waits=""))
