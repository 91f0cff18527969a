"""A worker's hold on its tasks: it is counted as alive while its number of beats grows.

Others judge that by their own clocks, so it does not matter how the clocks of two machines differ
or whether one is set. A worker that declares another one dead may take its tasks; each taking
raises the task's token, and nothing is recorded for a token that is no longer the newest.
"""

import threading
import time
from collections.abc import Callable, Iterable
from typing import NoReturn, TypeVar

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from untildone.core.text import to_one_line
from untildone.runs.queue.accounts import list_asleep
from untildone.runs.queue.database_time import lock_taking, read_time
from untildone.runs.queue.database_watch import DatabaseWatch
from untildone.runs.queue.intake import find_problem
from untildone.runs.queue.limits import forget_old_usage, record_usage
from untildone.runs.queue.losses import AWAY, BURIED, Loss, find_remedy
from untildone.runs.queue.retries import end_attempt, judge_left_task, make_step, record_spend
from untildone.runs.queue.selection import Candidate, CanDo, Choice, choose, has_steps, is_free
from untildone.runs.queue.tables import SETTINGS, STEPS, TASKS, WORKERS
from untildone.runs.queue.taken_task import TakenTask, read_taken
from untildone.runs.queue.values import Checkpoint, Course, State, encode, name_account
from untildone.runs.queue.waits import hold_early, hold_for_limit, is_sweep_due, sweep

_ALIVE = ("alive", "draining")
_RETRY_SECONDS = 0.5
# Who has not looked for so long has not seen the others' beats, and must not judge them.
_LONGEST_GAP_SECONDS = 3.0
Result = TypeVar("Result")


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
    # Whose sign-in the agents use; workers with the same one share its usage limit.
    account: str = ""

    def get_account(self, agent: str) -> str:
        """Return the account of an agent, by default of the first."""
        return name_account(agent or self.agents[0], self.account or self.host)


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
            "account": me.account or me.host,
            "jobs": me.jobs,
            "lease_ms": round(1_000 * self._seconds),
            "state": "alive",
            "started_at": self._now(),
            "seen_at": self._now(),
        }
        with self._engine.begin() as connection:
            connection.execute(WORKERS.insert().values(row))
            forget_old_usage(connection)

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
        """Take the first task that we can do: queued, or left by a worker that is dead.

        Whether there is one is seen without the lock that the taking itself needs.
        """
        with self._engine.connect() as connection:
            now_ms = read_time(connection)
            choice = self._choose(connection, can_do, now_ms)
            if not (choice.ready or choice.oversized or is_sweep_due(connection, now_ms)):
                return None
        with self._engine.begin() as connection:
            lock_taking(connection)
            now_ms = read_time(connection)
            sweep(connection, now_ms, at=self._now(), worker=self.identity.id)
            choice = self._choose(connection, can_do, now_ms)
            for one in choice.oversized:
                hold_for_limit(connection, one.id)
            taken = (self._try_to_take(connection, one, now_ms) for one in choice.ready)
            return next(filter(None, taken), None)

    def _choose(self, connection: sa.Connection, can_do: CanDo, now_ms: int) -> Choice:
        paused = sa.select(SETTINGS.c.value).where(SETTINGS.c.name == "paused")
        if connection.execute(paused).scalar():
            return Choice(ready=())
        get_account = self.identity.get_account
        return choose(connection, can_do=can_do, get_account=get_account, now_ms=now_ms)

    def has_open_task(self, can_do: CanDo, *, even_asleep: bool = False) -> bool:
        """Say whether a task is left that we could do now or that another worker is doing.

        With `even_asleep` also one that we could do if our account did not sleep.
        """
        with self._engine.connect() as connection:
            busy = sa.select(TASKS.c.route).where(TASKS.c.state == "running").distinct()
            if any(map(can_do, connection.execute(busy).scalars())):
                return True
            choice = choose(
                connection,
                can_do=can_do,
                get_account=self.identity.get_account,
                now_ms=read_time(connection),
                even_asleep=even_asleep,
            )
        return bool(choice.ready or choice.oversized)

    def is_asleep(self) -> bool:
        """Say whether the accounts of all our agents sleep."""
        with self._engine.connect() as connection:
            asleep = list_asleep(connection, read_time(connection))
        return all(self.identity.get_account(agent) in asleep for agent in self.identity.agents)

    def _try_to_take(
        self, connection: sa.Connection, one: Candidate, now_ms: int
    ) -> TakenTask | None:
        """Take a task under the lock, unless it killed too many workers or comes too early."""
        ending = judge_left_task(connection, one) if one.is_left else None
        if ending:
            connection.execute(make_step(one, ending, at=self._now()))
            return None
        account = self.identity.get_account(one.route.partition("\t")[0])
        values = {
            "state": "running",
            "worker": self.identity.id,
            "account": account,
            "token": TASKS.c.token + 1,
            "updated_at": self._now(),
        }
        chosen = sa.update(TASKS).where(TASKS.c.id == one.id, is_free())
        row = connection.execute(chosen.values(values).returning(*TASKS.c)).mappings().first()
        if row is None:
            hold_early(connection, [one.id])
            return None
        problem = find_problem(row)
        if problem:
            refused = {"state": "ended", "outcome": "blocked", "reason": problem}
            connection.execute(sa.update(TASKS).where(TASKS.c.id == one.id).values(refused))
            return None
        if not one.is_left:
            record_usage(
                connection, repository=one.repository, account=account, now_ms=now_ms, starts=1
            )
        task = read_taken(row, is_taken_over=has_steps(connection, row))
        connection.execute(self._make_step(task, "taken", self.identity.host, ""))
        return task

    def require(self, task: TakenTask) -> None:
        """Raise LostLease unless the task is still ours."""
        with self._engine.connect() as connection:
            if connection.execute(_select_own(task, self.identity.id)).scalar() is None:
                self.lose()

    def record(
        self, task: TakenTask, name: str, *, detail: str = "", checkpoint: Checkpoint | None = None
    ) -> None:
        """Append a step to the task's journal, unless the task is no longer ours."""
        data = encode(checkpoint) if checkpoint else ""
        # What has come so far does not kill its workers.
        progress = {"deaths": 0} if checkpoint else {}
        with self._engine.begin() as connection:
            # A write to the task's row, so that nobody takes it before this is committed.
            touched = self._touch(task).values(progress).returning(*TASKS.c)
            row = connection.execute(touched).mappings().first()
            if row is None:
                self.lose()
            if checkpoint:
                record_spend(connection, row, checkpoint.spend_usd)
            connection.execute(self._make_step(task, name, detail, data))

    def find_checkpoint(self, task: TakenTask) -> tuple[Checkpoint | None, bool]:
        """Return the newest checkpoint of the task, and whether its bounds are those of now."""
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
        return msgspec.json.decode(found[0], type=Checkpoint), found[1] >= task.since_attempt

    def finish(self, task: TakenTask, course: Course) -> State:
        """Write how the task ended, unless it is no longer ours; return its state."""
        with self._engine.begin() as connection:
            lock_taking(connection)
            row = connection.execute(self._touch(task).returning(*TASKS.c)).mappings().first()
            if row is None:
                self.lose()
            record_spend(connection, row, course.spend_usd)
            ending = end_attempt(connection, row, course)
            detail = to_one_line(ending.detail)
            connection.execute(self._make_step(task, ending.step, detail, ""))
        return ending.state

    def list_cancelling(self, tasks: Iterable[str]) -> tuple[str, ...]:
        chosen = sa.select(TASKS.c.id).where(TASKS.c.id.in_(tuple(tasks)), TASKS.c.cancelling == 1)
        with self._engine.connect() as connection:
            return tuple(connection.execute(chosen).scalars())

    def list_overdue(self, tasks: Iterable[TakenTask]) -> tuple[str, ...]:
        """Return those whose deadline has passed; without deadlines the database is not asked."""
        bound = [task.id for task in tasks if task.deadline_ms]
        if not bound:
            return ()
        with self._engine.connect() as connection:
            late = TASKS.c.deadline_ms.between(1, read_time(connection))
            chosen = sa.select(TASKS.c.id).where(TASKS.c.id.in_(bound), late)
            return tuple(connection.execute(chosen).scalars())

    def end(self) -> None:
        """Give up all tasks; others may take them at once."""
        mine = sa.update(WORKERS).where(
            WORKERS.c.id == self.identity.id, WORKERS.c.state.in_(_ALIVE)
        )
        with self._engine.begin() as connection:
            connection.execute(mine.values(state="ended", seen_at=self._now()))

    def lose(self) -> NoReturn:
        """Give up: another worker has what was ours."""
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


def is_alive(worker: sa.ColumnElement[str] | str) -> sa.Exists:
    """Return the condition that a worker is counted as alive."""
    return sa.exists().where(WORKERS.c.id == worker, WORKERS.c.state.in_(_ALIVE))
