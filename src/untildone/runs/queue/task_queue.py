"""The queue as its users change it: tasks are added, listed, cancelled, retried; all is paused."""

import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import msgspec
import sqlalchemy as sa

from untildone.core.verdict import Outcome
from untildone.engine.request import StartOptions
from untildone.errors import UserError
from untildone.runs.queue.tables import NEEDS, SETTINGS, STEPS, TASKS, WORKERS
from untildone.runs.queue.values import (
    OPEN_STATES,
    Course,
    NewTask,
    QueueChange,
    QueueDetails,
    QueueStep,
    QueueTask,
    QueueWorker,
    State,
    encode,
)

_PAUSED = "paused"
# What becomes of a cancelled task that somebody holds, by its state.
_HELD = {"running": "its worker ends it", "merging": "the next merge leaves it out"}
# Rows of one statement; a database limits its parameters.
_BATCH = 500


class TaskQueue:
    """`now` returns the time in UTC."""

    def __init__(self, engine: sa.Engine, now: Callable[[], str]) -> None:
        self._engine = engine
        self._now = now

    def add(self, tasks: Sequence[NewTask]) -> tuple[str, ...]:
        """Add all tasks or none; return their ids, in their order."""
        ids = tuple(secrets.token_hex(4) for _ in tasks)
        now = self._now()
        rows = [_make_row(name, task, at=now) for name, task in zip(ids, tasks, strict=True)]
        with self._engine.begin() as connection:
            # A write first, so that SQLite gives this transaction its turn.
            for start in range(0, len(rows), _BATCH):
                connection.execute(TASKS.insert(), rows[start : start + _BATCH])
            needs = [
                {"task": name, "needs": needed}
                for name, task in zip(ids, tasks, strict=True)
                for needed in dict.fromkeys(
                    (
                        *(self._find(connection, other)["id"] for other in task.after),
                        *(ids[place] for place in task.after_new),
                    )
                )
            ]
            if needs:
                connection.execute(NEEDS.insert(), needs)
        return ids

    def list_tasks(self, states: Iterable[State] = ()) -> tuple[QueueTask, ...]:
        """Return the tasks in the order in which they are taken, or of these states."""
        chosen = sa.select(TASKS).order_by(TASKS.c.priority.desc(), TASKS.c.number)
        wanted = tuple(states)
        if wanted:
            chosen = chosen.where(TASKS.c.state.in_(wanted))
        with self._engine.connect() as connection:
            rows = connection.execute(chosen).mappings().all()
            needs = connection.execute(
                sa.select(NEEDS.c.task, NEEDS.c.needs, TASKS.c.state).join_from(
                    NEEDS, TASKS, NEEDS.c.needs == TASKS.c.id
                )
            ).all()
        by_task: dict[str, list[tuple[str, str]]] = {}
        for task, needed, state in needs:
            by_task.setdefault(task, []).append((needed, state))
        return tuple(_read_task(row, by_task.get(row["id"], ())) for row in rows)

    def list_workers(self) -> tuple[QueueWorker, ...]:
        """Return the workers that have not ended, oldest first."""
        chosen = sa.select(WORKERS).where(WORKERS.c.state != "ended").order_by(WORKERS.c.started_at)
        with self._engine.connect() as connection:
            rows = connection.execute(chosen).mappings().all()
        return tuple(_read_worker(row) for row in rows)

    def show(self, name: str) -> QueueDetails:
        with self._engine.connect() as connection:
            row = self._find(connection, name)
            steps = connection.execute(
                sa.select(STEPS).where(STEPS.c.task == row["id"]).order_by(STEPS.c.number)
            ).mappings()
            course = _read_course(row)
            return QueueDetails(
                task=next(task for task in self.list_tasks() if task.id == row["id"]),
                options=_list_given(msgspec.json.decode(row["options"])),
                steps=tuple(_read_step(step) for step in steps),
                rounds=course.rounds,
                spend_usd=course.spend_usd,
                receipt=course.receipt,
            )

    def cancel(self, name: str) -> QueueChange:
        """Cancel a queued task at once; a running one is ended by its worker."""
        with self._engine.begin() as connection:
            row = self._find(connection, name)
            task, now = row["id"], self._now()
            queued = sa.update(TASKS).where(TASKS.c.id == task, TASKS.c.state == "queued")
            done = {"state": "cancelled", "outcome": "cancelled", "updated_at": now}
            if connection.execute(queued.values(done)).rowcount:
                return QueueChange(changed=(task,), note="cancelled")
            held = sa.update(TASKS).where(TASKS.c.id == task, TASKS.c.state == row["state"])
            if row["state"] in _HELD and connection.execute(held.values(cancelling=1)).rowcount:
                return QueueChange(changed=(task,), note=_HELD[row["state"]])
        raise UserError(
            f"task `{task}` is {row['state']} already", hint="`untildone queue list` shows the rest"
        )

    def retry(self, name: str) -> QueueChange:
        """Queue a task again that ended; it continues from its last recorded round."""
        with self._engine.begin() as connection:
            row = self._find(connection, name)
            again = sa.update(TASKS).where(
                TASKS.c.id == row["id"], TASKS.c.state.in_(("ended", "cancelled"))
            )
            if _is_pushed(row):
                values = {"state": "merging", "cancelling": 0, "outcome": "", "reason": ""}
                connection.execute(again.values({**values, "updated_at": self._now()}))
                return QueueChange(changed=(row["id"],), note="its branch is merged again")
            values = {
                "state": "queued",
                "attempt": TASKS.c.attempt + 1,
                "worker": "",
                "cancelling": 0,
                "outcome": "",
                "reason": "",
                "result": "",
                "updated_at": self._now(),
            }
            if connection.execute(again.values(values)).rowcount:
                return QueueChange(changed=(row["id"],), note="queued again")
        raise UserError(
            f"task `{row['id']}` is {row['state']}",
            hint="only a task that ended without being done can be retried",
        )

    def set_paused(self, *, paused: bool) -> QueueChange:
        """Let no worker take a task, or let them again; running tasks go on."""
        with self._engine.begin() as connection:
            connection.execute(sa.delete(SETTINGS).where(SETTINGS.c.name == _PAUSED))
            if paused:
                connection.execute(SETTINGS.insert().values(name=_PAUSED, value=self._now()))
        note = "no task is taken until `untildone queue pause --off`" if paused else "not paused"
        return QueueChange(changed=(), note=note)

    def is_paused(self) -> bool:
        with self._engine.connect() as connection:
            chosen = sa.select(SETTINGS.c.value).where(SETTINGS.c.name == _PAUSED)
            return connection.execute(chosen).scalar() is not None

    def drain(self) -> QueueChange:
        """Ask the workers of this moment to finish their tasks and end."""
        with self._engine.begin() as connection:
            asked = (
                sa.update(WORKERS)
                .where(WORKERS.c.state == "alive")
                .values(state="draining")
                .returning(WORKERS.c.id)
            )
            workers = tuple(connection.execute(asked).scalars())
        return QueueChange(changed=workers, note="each ends when its running tasks have")

    def _find(self, connection: sa.Connection, name: str) -> sa.RowMapping:
        """Return the row of the task whose id begins with this name."""
        pattern = sa.func.substr(TASKS.c.id, 1, len(name)) == name
        rows = connection.execute(sa.select(TASKS).where(pattern).limit(2)).mappings().all()
        if name and len(rows) == 1:
            return rows[0]
        if len(rows) > 1:
            raise UserError(f"several tasks begin with `{name}`", hint="give more of the id")
        raise UserError(
            f"there is no task `{name}`", hint="`untildone queue list --all` lists their ids"
        )


def _make_row(name: str, task: NewTask, *, at: str) -> dict[str, object]:
    labels = ",".join(sorted(task.labels))
    return {
        "id": name,
        "state": "queued",
        "route": make_route(task.agent, labels, task.repository),
        "task": task.options.task,
        "options": encode(task.options),
        "repository": task.repository,
        "base": task.base,
        "agent": task.agent,
        "labels": labels,
        "source": task.source,
        "priority": task.priority,
        "attempt": 1,
        "target": task.into,
        "plan": encode(task.plan) if task.plan else "",
        "added_at": at,
        "updated_at": at,
    }


def _is_pushed(row: sa.RowMapping) -> bool:
    """Say whether only the merge of a task is missing."""
    is_over = row["state"] in ("ended", "cancelled")
    return is_over and bool(row["target"]) and bool(_read_course(row).branch)


def make_route(agent: str, labels: str, repository: str) -> str:
    return "\t".join((agent, labels, repository))


def split_words(text: str) -> tuple[str, ...]:
    return tuple(filter(None, text.split(",")))


def _read_course(row: sa.RowMapping) -> Course:
    return msgspec.json.decode(row["result"], type=Course) if row["result"] else Course()


def _read_task(row: sa.RowMapping, needs: Sequence[tuple[str, str]]) -> QueueTask:
    course = _read_course(row)
    outcome = cast("Outcome | None", row["outcome"] or None)
    return QueueTask(
        id=row["id"],
        task=row["task"],
        state=row["state"],
        repository=row["repository"],
        base=row["base"],
        agent=row["agent"],
        labels=split_words(row["labels"]),
        priority=row["priority"],
        after=tuple(name for name, _ in needs),
        waits_for=tuple(
            name for name, state in needs if state != "done" and row["state"] in OPEN_STATES
        ),
        source=row["source"],
        attempt=row["attempt"],
        worker=row["worker"],
        is_cancelling=bool(row["cancelling"]) and row["state"] in _HELD,
        outcome=outcome,
        reason=row["reason"],
        branch=course.branch,
        commit=course.commit if course.branch else "",
        into=row["target"],
        merge=course.merge,
        added_at=row["added_at"],
        updated_at=row["updated_at"],
    )


def _list_given(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options without those that have their default."""
    defaults = msgspec.json.decode(encode(StartOptions()))
    return {name: value for name, value in options.items() if value != defaults.get(name)}


def _read_step(row: sa.RowMapping) -> QueueStep:
    names = ("name", "at", "attempt", "token", "worker", "detail")
    return QueueStep(**{name: row[name] for name in names})


def _read_worker(row: sa.RowMapping) -> QueueWorker:
    names = ("id", "host", "pid", "state", "jobs", "started_at", "seen_at")
    return QueueWorker(
        agents=split_words(row["agents"]),
        labels=split_words(row["labels"]),
        **{name: row[name] for name in names},
    )
