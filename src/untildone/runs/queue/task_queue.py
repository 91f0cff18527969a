"""The queue as its users change it: tasks are added, listed, cancelled, retried; all is paused."""

import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from untildone.engine.request import StartOptions
from untildone.errors import UserError
from untildone.runs.queue.accounts import list_accounts
from untildone.runs.queue.database_time import lock_taking, read_time
from untildone.runs.queue.deadline_times import parse_deadline
from untildone.runs.queue.limit_rules import MICRO
from untildone.runs.queue.tables import NEEDS, SETTINGS, STEPS, TASKS, WORKERS
from untildone.runs.queue.task_changes import (
    CANCELLED,
    CANCELLING,
    MERGED_AGAIN,
    RETRIED,
    TaskChange,
)
from untildone.runs.queue.task_rows import (
    HELD,
    list_needs,
    read_course,
    read_step,
    read_tasks,
    read_worker,
)
from untildone.runs.queue.values import (
    NewTask,
    Part,
    QueueAccount,
    QueueChange,
    QueueCounts,
    QueueDetails,
    QueueTask,
    QueueWorker,
    State,
    encode,
)
from untildone.runs.queue.waits import hold_early

_PAUSED = "paused"
# Rows of one statement; a database limits its parameters.
_BATCH = 500
# Ten thousand tasks at once must not collide by chance.
_ID_BYTES = 6


class TaskQueue:
    """`now` returns the time in UTC."""

    def __init__(self, engine: sa.Engine, now: Callable[[], str]) -> None:
        self._engine = engine
        self._now = now

    def add(self, tasks: Sequence[NewTask]) -> tuple[str, ...]:
        """Add all tasks or none; return their ids, in their order."""
        ids = tuple(secrets.token_hex(_ID_BYTES) for _ in tasks)
        at = self._now()
        with self._engine.begin() as connection:
            if any(task.after for task in tasks):
                # So that none of those ends unnoticed meanwhile.
                lock_taking(connection)
            now_ms = read_time(connection)
            rows = [
                {**_make_row(name, task, at=at), "deadline_ms": _read_deadline(task, now_ms)}
                for name, task in zip(ids, tasks, strict=True)
            ]
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
                hold_early(connection, sorted({need["task"] for need in needs}))
        return ids

    def list_tasks(
        self, states: Iterable[State] = (), *, part: Part | None = None
    ) -> tuple[QueueTask, ...]:
        """Return the tasks in the order in which they are taken, or of these states."""
        chosen = sa.select(TASKS).order_by(TASKS.c.priority.desc(), TASKS.c.number)
        wanted = tuple(states)
        if wanted:
            chosen = chosen.where(TASKS.c.state.in_(wanted))
        if part:
            chosen = _narrow(chosen, part)
        with self._engine.connect() as connection:
            rows = connection.execute(chosen).mappings().all()
            names = [row["id"] for row in rows] if part else None
            return read_tasks(connection, rows, list_needs(connection, names))

    def count_tasks(self) -> QueueCounts:
        """Return how many tasks there are of each state, and how many each worker runs."""
        states = sa.select(TASKS.c.state, sa.func.count(), sa.func.sum(TASKS.c.dead))
        running = sa.select(TASKS.c.worker, sa.func.count()).where(TASKS.c.state == "running")
        with self._engine.connect() as connection:
            counted = connection.execute(states.group_by(TASKS.c.state)).all()
            of_worker = connection.execute(running.group_by(TASKS.c.worker)).all()
        return QueueCounts(
            of_state={row[0]: row[1] for row in counted},
            of_worker={row[0]: row[1] for row in of_worker},
            dead=sum(int(row[2]) for row in counted if row[0] == "ended"),
        )

    def list_dead(self) -> tuple[QueueTask, ...]:
        """Return the tasks that used up their retries."""
        return tuple(task for task in self.list_tasks(("ended",)) if task.is_dead)

    def list_accounts(self) -> tuple[QueueAccount, ...]:
        """Return the accounts that sleep."""
        with self._engine.connect() as connection:
            return list_accounts(connection)

    def list_workers(self) -> tuple[QueueWorker, ...]:
        """Return the workers that have not ended, oldest first."""
        chosen = sa.select(WORKERS).where(WORKERS.c.state != "ended").order_by(WORKERS.c.started_at)
        with self._engine.connect() as connection:
            rows = connection.execute(chosen).mappings().all()
        return tuple(read_worker(row) for row in rows)

    def show(self, name: str) -> QueueDetails:
        with self._engine.connect() as connection:
            row = self._find(connection, name)
            steps = connection.execute(
                sa.select(STEPS).where(STEPS.c.task == row["id"]).order_by(STEPS.c.number)
            ).mappings()
            course = read_course(row)
            (task,) = read_tasks(connection, [row], list_needs(connection, [row["id"]]))
            return QueueDetails(
                task=task,
                options=_list_given(msgspec.json.decode(row["options"])),
                steps=tuple(read_step(step) for step in steps),
                rounds=course.rounds,
                spend_usd=course.spend_usd,
                receipt=course.receipt,
            )

    def cancel(self, name: str) -> QueueChange:
        """Cancel a queued task at once; a running one is ended by its worker."""
        with self._engine.begin() as connection:
            row = self._find(connection, name)
            task, now = row["id"], self._now()
            if connection.execute(_change(task, CANCELLED, at=now)).rowcount:
                return QueueChange(changed=(task,), note="cancelled")
            if connection.execute(_change(task, CANCELLING, at=now)).rowcount:
                return QueueChange(changed=(task,), note=HELD.get(row["state"], HELD["running"]))
        raise UserError(
            f"task `{task}` is {row['state']} already", hint="`untildone queue list` shows the rest"
        )

    def retry(self, name: str) -> QueueChange:
        """Queue a task again that ended; it continues from its last recorded round."""
        with self._engine.begin() as connection:
            row = self._find(connection, name)
            merge = _change(row["id"], MERGED_AGAIN, at=self._now())
            if _is_pushed(row) and connection.execute(merge).rowcount:
                return QueueChange(changed=(row["id"],), note="its branch is merged again")
            again = _change(row["id"], RETRIED, at=self._now())
            past = TASKS.c.deadline_ms <= read_time(connection)
            deadline = sa.case((past, 0), else_=TASKS.c.deadline_ms)
            if connection.execute(again.values(deadline_ms=deadline)).rowcount:
                return QueueChange(changed=(row["id"],), note="queued again")
        raise UserError(
            f"task `{row['id']}` is {row['state']}",
            hint="only a task that ended without being done can be retried",
        )

    def retry_dead(self) -> QueueChange:
        """Queue all tasks again that used up their retries."""
        names = tuple(task.id for task in self.list_dead())
        for name in names:
            self.retry(name)
        return QueueChange(changed=names, note="queued again" if names else "no dead letter")

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
        """Return the row of the task whose id is this name, or begins with it."""
        exact = connection.execute(sa.select(TASKS).where(TASKS.c.id == name)).mappings().first()
        if exact:
            return exact
        # Reads all ids.
        pattern = sa.func.substr(TASKS.c.id, 1, len(name)) == name
        rows = connection.execute(sa.select(TASKS).where(pattern).limit(2)).mappings().all()
        if name and len(rows) == 1:
            return rows[0]
        if len(rows) > 1:
            raise UserError(f"several tasks begin with `{name}`", hint="give more of the id")
        raise UserError(
            f"there is no task `{name}`", hint="`untildone queue list --all` lists their ids"
        )


def _change(task: str, change: TaskChange, *, at: str) -> sa.Update:
    """Return the statement that changes a task, if its state is one of those before."""
    chosen = sa.update(TASKS).where(TASKS.c.id == task, TASKS.c.state.in_(change.before))
    values: dict[str, Any] = {**change.values, "updated_at": at}
    if change.is_new_attempt:
        values["attempt"] = values["since_attempt"] = TASKS.c.attempt + 1
    return chosen.values(values)


def _narrow(chosen: sa.Select[Any], part: Part) -> sa.Select[Any]:
    if part.is_dead:
        chosen = chosen.where(TASKS.c.dead == 1)
    if part.newest_first:
        chosen = chosen.order_by(None).order_by(TASKS.c.number.desc())
    return chosen.offset(part.first).limit(part.most)


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
        "configuration": task.configuration,
        "priority": task.priority,
        "attempt": 1,
        "since_attempt": 1,
        "retries": task.retries,
        "budget_micro": round(MICRO * (task.options.budget or 0)),
        "target": task.into,
        "plan": encode(task.plan) if task.plan else "",
        "added_at": at,
        "updated_at": at,
    }


def _read_deadline(task: NewTask, now_ms: int) -> int:
    if not task.deadline:
        return 0
    deadline_ms = parse_deadline(task.deadline, now_ms)
    if deadline_ms <= now_ms:
        raise UserError(
            f"the deadline `{task.deadline}` is past", hint="give a later one, such as `4h`"
        )
    return deadline_ms


def _is_pushed(row: sa.RowMapping) -> bool:
    """Say whether only the merge of a task that has ended is missing."""
    return bool(row["target"]) and bool(read_course(row).branch)


def make_route(agent: str, labels: str, repository: str) -> str:
    return "\t".join((agent, labels, repository))


def _list_given(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options without those that have their default."""
    defaults = msgspec.json.decode(encode(StartOptions()))
    return {name: value for name, value in options.items() if value != defaults.get(name)}
