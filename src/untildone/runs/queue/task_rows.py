"""Rows of the queue's tables read as the values that its users see."""

from collections.abc import Mapping, Sequence
from typing import cast

import msgspec
import sqlalchemy as sa

from untildone.core.verdict import Outcome
from untildone.runs.queue.deadline_times import format_moment
from untildone.runs.queue.retries import list_failures
from untildone.runs.queue.tables import NEEDS, TASKS
from untildone.runs.queue.values import (
    OPEN_STATES,
    Course,
    QueueFailure,
    QueueStep,
    QueueTask,
    QueueWorker,
    name_account,
)
from untildone.runs.queue.waiting_reasons import Reasons, read_reasons

# What becomes of a cancelled task that somebody holds, by its state.
HELD = {"running": "its worker ends it", "merging": "the next merge leaves it out"}

# The columns of a task that are shown as they are.
_AS_THEY_ARE = (
    *("id", "task", "state", "repository", "base", "agent", "priority", "source"),
    *("configuration", "attempt", "worker", "reason", "added_at", "updated_at", "retries"),
    "faults",
)


def split_words(text: str) -> tuple[str, ...]:
    return tuple(filter(None, text.split(",")))


def read_course(row: sa.RowMapping) -> Course:
    return msgspec.json.decode(row["result"], type=Course) if row["result"] else Course()


def list_needs(
    connection: sa.Connection, tasks: Sequence[str] | None = None
) -> dict[str, list[tuple[str, str]]]:
    """Return for each task, or for these, the tasks that it needs, with their states."""
    chosen = sa.select(NEEDS.c.task, NEEDS.c.needs, TASKS.c.state).join_from(
        NEEDS, TASKS, NEEDS.c.needs == TASKS.c.id
    )
    if tasks is not None:
        chosen = chosen.where(NEEDS.c.task.in_(tasks))
    by_task: dict[str, list[tuple[str, str]]] = {}
    for name, needed, state in connection.execute(chosen):
        by_task.setdefault(name, []).append((needed, state))
    return by_task


def read_tasks(
    connection: sa.Connection,
    rows: Sequence[sa.RowMapping],
    needs: Mapping[str, Sequence[tuple[str, str]]],
) -> tuple[QueueTask, ...]:
    """Return the tasks with why they wait and why their attempts failed."""
    reasons = read_reasons(connection)
    failures = list_failures(connection, (row["id"] for row in rows if row["dead"]))
    return tuple(
        _read_task(
            row,
            needs.get(row["id"], ()),
            reasons=reasons,
            failures=failures.get(row["id"], ()),
        )
        for row in rows
    )


def _read_task(
    row: sa.RowMapping,
    needs: Sequence[tuple[str, str]],
    *,
    reasons: Reasons,
    failures: tuple[QueueFailure, ...],
) -> QueueTask:
    course = read_course(row)
    return QueueTask(
        labels=split_words(row["labels"]),
        after=tuple(name for name, _ in needs),
        waits_for=tuple(
            name for name, state in needs if state != "done" and row["state"] in OPEN_STATES
        ),
        is_cancelling=bool(row["cancelling"]) and row["state"] in HELD,
        outcome=cast("Outcome | None", row["outcome"] or None),
        branch=course.branch,
        commit=course.commit if course.branch else "",
        into=row["target"],
        merge=course.merge,
        waits=reasons.explain(row) if row["state"] == "queued" else "",
        deadline=format_moment(row["deadline_ms"]),
        is_dead=bool(row["dead"]),
        failures=failures,
        **{name: row[name] for name in _AS_THEY_ARE},
    )


def read_step(row: sa.RowMapping) -> QueueStep:
    names = ("name", "at", "attempt", "token", "worker", "detail")
    return QueueStep(**{name: row[name] for name in names})


def read_worker(row: sa.RowMapping) -> QueueWorker:
    names = ("id", "host", "pid", "state", "jobs", "started_at", "seen_at")
    return QueueWorker(
        agents=split_words(row["agents"]),
        labels=split_words(row["labels"]),
        accounts=tuple(name_account(agent, row["account"]) for agent in split_words(row["agents"])),
        **{name: row[name] for name in names},
    )
