"""A worker's hold on its tasks: it is counted as alive while its number of beats grows.

Others judge that by their own clocks, so it does not matter how the clocks of two machines differ
or whether one is set. Whoever declares a worker dead may take its tasks; each taking raises the
task's token, and nothing is recorded for a token that is no longer the newest.
"""

import threading
import time
from collections.abc import Callable, Iterable
from typing import NoReturn, TypeAlias, TypeVar

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from untildone.core.verdict import Outcome
from untildone.engine.request import StartOptions
from untildone.runs.queue.database_watch import DatabaseWatch
from untildone.runs.queue.losses import AWAY, BURIED, Loss, find_remedy
from untildone.runs.queue.tables import NEEDS, SETTINGS, STEPS, TASKS, WORKERS
from untildone.runs.queue.values import Checkpoint, Course, State, encode

_ALIVE = ("alive", "draining")
_CANDIDATES = 20
_RETRY_SECONDS = 0.5
# Who has not looked for so long has not seen the others' beats, and must not judge them.
_LONGEST_GAP_SECONDS = 3.0
Result = TypeVar("Result")
# Which routes (agent, labels, repository) a worker can do.
CanDo: TypeAlias = Callable[[str], bool]


class LostLease(BaseException):
    """Another worker has the task now, because this one was silent for too long, or stops.

    It is no `Exception`, because dbos would record that as the result of a step.
    """


class Identity(Struct, frozen=True, kw_only=True):
    id: str
    host: str
    pid: int
    agents: tuple[str, ...]
    labels: tuple[str, ...]
    jobs: int


class TakenTask(Struct, frozen=True, kw_only=True):
    """A task in the hands of this worker."""

    id: str
    token: int
    attempt: int
    repository: str
    base: str
    agent: str
    added_at: str
    options: StartOptions
    # Whether an earlier worker had this attempt.
    is_taken_over: bool

    @property
    def workflow(self) -> str:
        return f"{self.id}.{self.attempt}"


class Lease:
    """`seconds`: how long this worker may be silent; `now` returns the time in UTC."""

    def __init__(
        self, engine: sa.Engine, identity: Identity, *, seconds: float, now: Callable[[], str]
    ) -> None:
        self.identity = identity
        self.is_lost = threading.Event()
        self.is_stopped = threading.Event()
        self.loss = BURIED
        self.watch = DatabaseWatch(seconds)
        self._engine = engine
        self._seconds = seconds
        self._now = now
        # For each other worker: its beats, and since when we have seen no more of them.
        self._seen: dict[str, tuple[int, float]] = {}
        self._looked = 0.0

    def register(self) -> None:
        me = self.identity
        row = {
            "id": me.id,
            "host": me.host,
            "pid": me.pid,
            "agents": ",".join(me.agents),
            "labels": ",".join(me.labels),
            "jobs": me.jobs,
            "lease_ms": round(1_000 * self._seconds),
            "state": "alive",
            "started_at": self._now(),
            "seen_at": self._now(),
        }
        with self._engine.begin() as connection:
            connection.execute(WORKERS.insert().values(row))

    def beat(self) -> bool:
        """Show that we are alive; return whether we are asked to drain."""
        mine = sa.update(WORKERS).where(
            WORKERS.c.id == self.identity.id, WORKERS.c.state.in_(_ALIVE)
        )
        values = {"beat": WORKERS.c.beat + 1, "seen_at": self._now()}
        with self._engine.begin() as connection:
            states = connection.execute(mine.values(values).returning(WORKERS.c.state)).scalars()
            state = next(iter(states), "")
        if not state:
            self.is_lost.set()
        self.watch.confirm_beat()
        return state == "draining"

    def beat_until_stopped(self, drain: threading.Event) -> None:
        """Beat several times during each lease, and look for cancelled tasks meanwhile."""
        while not self.is_stopped.wait(self._seconds / 6) and not self.is_lost.is_set():
            self.watch.begin_beat()
            if self.insist(self.beat):
                drain.set()

    def insist(self, action: Callable[[], Result]) -> Result:
        """Repeat a database action until the database answers, or the tasks are given up."""
        with self.watch.follow() as who:
            while True:
                try:
                    return action()
                except (*AWAY, sa.exc.DatabaseError) as error:
                    self._wait_after_failure(who, error)

    def _wait_after_failure(self, who: object, error: sa.exc.SQLAlchemyError) -> None:
        # Others are mistakes of ours, unless nothing but the user can help.
        if not isinstance(error, AWAY) and not find_remedy(error):
            raise error
        self.watch.note_failure(who, error)
        if self.is_stopped.wait(_RETRY_SECONDS) or self.is_lost.is_set():
            raise LostLease from None

    def give_up(self, loss: Loss) -> None:
        """Give all tasks up; the first reason counts."""
        if not self.is_lost.is_set():
            self.loss = loss
            self.is_lost.set()

    def bury_dead_workers(self) -> tuple[str, ...]:
        """Declare those dead that were silent for the whole of their lease; return who was."""
        with self._engine.connect() as connection:
            chosen = sa.select(WORKERS.c.id, WORKERS.c.beat, WORKERS.c.lease_ms).where(
                WORKERS.c.state.in_(_ALIVE), WORKERS.c.id != self.identity.id
            )
            others = connection.execute(chosen).all()
        now = time.monotonic()
        gap, self._looked = now - self._looked, now
        before, self._seen = self._seen, {}
        buried = []
        for name, beat, lease_ms in others:
            lease = lease_ms / 1_000
            is_watched = gap < max(_LONGEST_GAP_SECONDS, lease / 2)
            seen = before.get(name, (-1, now)) if is_watched else (-1, now)
            self._seen[name] = seen if seen[0] == beat else (beat, now)
            is_silent = now - self._seen[name][1] > lease
            if is_silent and self._declare_dead(name, beat):
                buried.append(name)
        return tuple(buried)

    def _declare_dead(self, worker: str, beat: int) -> bool:
        same = sa.update(WORKERS).where(
            WORKERS.c.id == worker, WORKERS.c.beat == beat, WORKERS.c.state.in_(_ALIVE)
        )
        with self._engine.begin() as connection:
            return bool(connection.execute(same.values(state="dead")).rowcount)

    def take(self, can_do: CanDo) -> TakenTask | None:
        """Take the first task that we can do: queued, or left by a worker that is dead."""
        with self._engine.connect() as connection:
            if connection.execute(
                sa.select(SETTINGS.c.value).where(SETTINGS.c.name == "paused")
            ).scalar():
                return None
            routes = self._list_routes(connection, can_do)
            if not routes:
                return None
            chosen = (
                sa.select(TASKS.c.id, TASKS.c.token)
                .where(_is_free(), TASKS.c.route.in_(routes))
                .order_by(TASKS.c.priority.desc(), TASKS.c.number)
                .limit(_CANDIDATES)
            )
            candidates = connection.execute(chosen).all()
        for name, token in candidates:
            taken = self._try_to_take(name, token)
            if taken:
                return taken
        return None

    def _list_routes(self, connection: sa.Connection, can_do: CanDo) -> list[str]:
        routes = connection.execute(
            sa.select(TASKS.c.route).where(TASKS.c.state.in_(("queued", "running"))).distinct()
        ).scalars()
        return [route for route in routes if can_do(route)]

    def has_open_task(self, can_do: CanDo) -> bool:
        """Say whether a task is left that we could do now or that another worker is doing."""
        with self._engine.connect() as connection:
            routes = self._list_routes(connection, can_do)
            found = sa.select(TASKS.c.id).where(
                TASKS.c.route.in_(routes), sa.or_(TASKS.c.state == "running", _is_free())
            )
            return connection.execute(found.limit(1)).scalar() is not None

    def _try_to_take(self, name: str, token: int) -> TakenTask | None:
        values = {
            "state": "running",
            "worker": self.identity.id,
            "token": TASKS.c.token + 1,
            "updated_at": self._now(),
        }
        chosen = sa.update(TASKS).where(TASKS.c.id == name, TASKS.c.token == token, _is_free())
        with self._engine.begin() as connection:
            row = connection.execute(chosen.values(values).returning(*TASKS.c)).mappings().first()
            if row is None:
                return None
            attempts = sa.select(STEPS.c.number).where(
                STEPS.c.task == name, STEPS.c.attempt == row["attempt"]
            )
            is_taken_over = connection.execute(attempts.limit(1)).scalar() is not None
            task = TakenTask(
                options=msgspec.json.decode(row["options"], type=StartOptions),
                is_taken_over=is_taken_over,
                **{
                    key: row[key]
                    for key in ("id", "token", "attempt", "repository", "base", "agent", "added_at")
                },
            )
            connection.execute(self._make_step(task, "taken", self.identity.host, ""))
        return task

    def require(self, task: TakenTask) -> None:
        """Raise LostLease unless the task is still ours."""
        with self._engine.connect() as connection:
            if connection.execute(_select_own(task, self.identity.id)).scalar() is None:
                self._lose()

    def record(
        self, task: TakenTask, name: str, *, detail: str = "", checkpoint: Checkpoint | None = None
    ) -> None:
        """Append a step to the task's journal, unless the task is no longer ours."""
        data = encode(checkpoint) if checkpoint else ""
        with self._engine.begin() as connection:
            # A write to the task's row, so that nobody takes it before this is committed.
            if not connection.execute(self._touch(task)).rowcount:
                self._lose()
            connection.execute(self._make_step(task, name, detail, data))

    def find_checkpoint(self, task: TakenTask) -> tuple[Checkpoint | None, bool]:
        """Return the newest checkpoint of the task, and whether it is of this attempt."""
        chosen = (
            sa.select(STEPS.c.data, STEPS.c.attempt)
            .where(STEPS.c.task == task.id, STEPS.c.data != "")
            .order_by(STEPS.c.number.desc())
            .limit(1)
        )
        with self._engine.connect() as connection:
            found = connection.execute(chosen).first()
        if found is None:
            return None, False
        return msgspec.json.decode(found[0], type=Checkpoint), found[1] == task.attempt

    def finish(self, task: TakenTask, course: Course) -> State:
        """Write how the task ended, unless it is no longer ours; return its state."""
        outcome: Outcome = course.outcome or "unverified"
        state: State = "done" if course.branch else "ended"
        if outcome == "cancelled":
            state = "cancelled"
        values = {
            "state": state,
            "outcome": outcome,
            "reason": course.reason,
            "result": encode(course),
            "cancelling": 0,
            "updated_at": self._now(),
        }
        with self._engine.begin() as connection:
            if not connection.execute(self._touch(task).values(values)).rowcount:
                self._lose()
            connection.execute(self._make_step(task, state, course.reason, ""))
        return state

    def list_cancelling(self, tasks: Iterable[str]) -> tuple[str, ...]:
        chosen = sa.select(TASKS.c.id).where(TASKS.c.id.in_(tuple(tasks)), TASKS.c.cancelling == 1)
        with self._engine.connect() as connection:
            return tuple(connection.execute(chosen).scalars())

    def end(self) -> None:
        """Give up all tasks; others may take them at once."""
        mine = sa.update(WORKERS).where(
            WORKERS.c.id == self.identity.id, WORKERS.c.state.in_(_ALIVE)
        )
        with self._engine.begin() as connection:
            connection.execute(mine.values(state="ended", seen_at=self._now()))

    def _lose(self) -> NoReturn:
        self.is_lost.set()
        raise LostLease

    def _touch(self, task: TakenTask) -> sa.Update:
        owner = sa.exists().where(WORKERS.c.id == self.identity.id, WORKERS.c.state.in_(_ALIVE))
        return (
            sa.update(TASKS)
            .where(TASKS.c.id == task.id, TASKS.c.token == task.token, owner)
            .where(TASKS.c.state == "running")
            .values(updated_at=self._now())
        )

    def _make_step(self, task: TakenTask, name: str, detail: str, data: str) -> sa.Insert:
        return STEPS.insert().values(
            task=task.id,
            attempt=task.attempt,
            token=task.token,
            worker=self.identity.id,
            name=name,
            detail=detail,
            data=data,
            at=self._now(),
        )


def _select_own(task: TakenTask, worker: str) -> sa.Select[tuple[str]]:
    owner = sa.exists().where(WORKERS.c.id == worker, WORKERS.c.state.in_(_ALIVE))
    return sa.select(TASKS.c.id).where(
        TASKS.c.id == task.id,
        TASKS.c.token == task.token,
        TASKS.c.worker == worker,
        TASKS.c.state == "running",
        owner,
    )


def _is_free() -> sa.ColumnElement[bool]:
    """Return the condition that a task waits for nobody: queued, or its worker is gone."""
    is_held = sa.exists().where(WORKERS.c.id == TASKS.c.worker, WORKERS.c.state.in_(_ALIVE))
    needed = TASKS.alias()
    is_early = sa.exists().where(
        NEEDS.c.task == TASKS.c.id, NEEDS.c.needs == needed.c.id, needed.c.state != "done"
    )
    return sa.or_(
        sa.and_(TASKS.c.state == "queued", ~is_early),
        sa.and_(TASKS.c.state == "running", ~is_held),
    )
