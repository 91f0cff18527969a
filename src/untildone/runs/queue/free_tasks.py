"""Which tasks can be taken: read in their order from an index, so that a long queue costs no more.

A route (agent, labels and repository as one text) that a worker cannot do is left out of what is
read next: a worker without a label does not read all tasks that need it.
"""

from collections.abc import Callable, Collection
from typing import Any, TypeAlias

import sqlalchemy as sa

from untildone.runs.queue.tables import NEEDS, TASKS, WORKERS

ALIVE = ("alive", "draining")
_PAGE = 20
# Which routes a worker can do.
CanDo: TypeAlias = Callable[[str], bool]
_Free: TypeAlias = sa.Row[Any]
_SELECTED = sa.select(
    TASKS.c.id, TASKS.c.token, TASKS.c.route, TASKS.c.priority, TASKS.c.number
).order_by(TASKS.c.priority.desc(), TASKS.c.number)


def list_candidates(connection: sa.Connection, can_do: CanDo) -> tuple[tuple[str, int], ...]:
    """Return ids and tokens of the first free tasks that we can do, in their order."""
    abandoned = connection.execute(_SELECTED.where(is_abandoned())).all()
    left = [row for row in abandoned if can_do(row.route)]
    found = (*left, *_list_queued(connection, can_do))
    ordered = sorted(found, key=lambda row: (-row.priority, row.number))
    return tuple((row.id, row.token) for row in ordered)


def _list_queued(connection: sa.Connection, can_do: CanDo) -> list[_Free]:
    refused: set[str] = set()
    while True:
        rows = connection.execute(_select_queued(refused)).all()
        found = [row for row in rows if can_do(row.route)]
        if found or not rows:
            return found
        refused.update(row.route for row in rows)


def _select_queued(refused: Collection[str]) -> sa.Select[tuple[str, int, str, int, int]]:
    chosen = _SELECTED.where(is_ready()).limit(_PAGE)
    return chosen.where(TASKS.c.route.not_in(refused)) if refused else chosen


def has_open_task(connection: sa.Connection, can_do: CanDo) -> bool:
    """Say whether a task is left that we could do now or that another worker is doing."""
    running = sa.select(TASKS.c.route).where(TASKS.c.state == "running").distinct()
    if any(can_do(route) for route in connection.execute(running).scalars()):
        return True
    return bool(_list_queued(connection, can_do))


def is_free() -> sa.ColumnElement[bool]:
    """Return the condition that a task waits for nobody: queued, or its worker is gone."""
    return sa.or_(is_ready(), is_abandoned())


def is_ready() -> sa.ColumnElement[bool]:
    """Return the condition that a task is queued, and what it needs is done."""
    needed = TASKS.alias()
    is_early = sa.exists().where(
        NEEDS.c.task == TASKS.c.id, NEEDS.c.needs == needed.c.id, needed.c.state != "done"
    )
    return sa.and_(TASKS.c.state == "queued", ~is_early)


def is_abandoned() -> sa.ColumnElement[bool]:
    """Return the condition that a running task has no worker any more."""
    is_held = sa.exists().where(WORKERS.c.id == TASKS.c.worker, WORKERS.c.state.in_(ALIVE))
    return sa.and_(TASKS.c.state == "running", ~is_held)
