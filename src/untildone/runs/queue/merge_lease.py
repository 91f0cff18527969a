"""A worker's hold on the merges into one branch, by the same rules as its hold on tasks."""

from collections.abc import Callable, Iterable, Sequence

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from untildone.core.text import to_one_line
from untildone.core.verdict import Outcome
from untildone.engine.request import StartOptions
from untildone.runs.queue.database_time import lock_taking
from untildone.runs.queue.lease import Lease, is_alive
from untildone.runs.queue.selection import CanDo
from untildone.runs.queue.tables import MERGES, SETTINGS, STEPS, TASKS
from untildone.runs.queue.values import Checkpoint, Course, State, encode
from untildone.runs.queue.waits import release_dependents
from untildone.store.digest import sha256

# A batch is verified as a whole; its checks and its evidence grow with it.
_LARGEST_BATCH = 32
# As it stands in the index, whose condition must be recognized.
_HAS_TARGET = TASKS.c.target != sa.literal_column("''")
# Of those merged before, the checks of the newest are run again.
_MERGED_BEFORE = 50


class MergeTurn(Struct, frozen=True, kw_only=True):
    """The right to merge into a branch of a repository, while `token` is the newest."""

    id: str
    repository: str
    branch: str
    token: int


class WaitingTask(Struct, frozen=True, kw_only=True):
    """A task whose branch is pushed."""

    id: str
    attempt: int
    token: int
    is_cancelling: bool
    options: StartOptions
    course: Course


class MergeChange(Struct, frozen=True, kw_only=True):
    """What becomes of a waiting task; `values` are further ones of its row, `step` is recorded."""

    task: WaitingTask
    state: State
    step: str
    outcome: Outcome | None = None
    reason: str = ""
    values: dict[str, object] = {}
    detail: str = ""
    checkpoint: Checkpoint | None = None


class MergeLease:
    def __init__(self, engine: sa.Engine, lease: Lease, now: Callable[[], str]) -> None:
        self._engine = engine
        self._lease = lease
        self._now = now
        self._me = lease.identity.id

    def take(self, can_merge: CanDo) -> MergeTurn | None:
        """Take the merges of a branch that has tasks waiting and that no living worker has."""
        with self._engine.connect() as connection:
            paused = sa.select(SETTINGS.c.value).where(SETTINGS.c.name == "paused")
            if connection.execute(paused).scalar():
                return None
            branches = self._list_branches(connection, can_merge)
        for repository, branch in branches:
            turn = self._try_to_take(repository, branch)
            if turn:
                return turn
        return None

    def has_waiting(self, can_merge: CanDo) -> bool:
        with self._engine.connect() as connection:
            return bool(self._list_branches(connection, can_merge))

    def _list_branches(self, connection: sa.Connection, can_merge: CanDo) -> list[tuple[str, str]]:
        chosen = (
            sa.select(TASKS.c.route, TASKS.c.repository, TASKS.c.target)
            .where(_HAS_TARGET, TASKS.c.state == "merging")
            .distinct()
        )
        rows = connection.execute(chosen).all()
        pairs = [(repository, target) for route, repository, target in rows if can_merge(route)]
        return list(dict.fromkeys(pairs))

    def _try_to_take(self, repository: str, branch: str) -> MergeTurn | None:
        name = sha256(f"{repository}\0{branch}".encode()).hexdigest()
        self._make_row(name, repository, branch)
        chosen = sa.update(MERGES).where(MERGES.c.id == name, ~is_alive(MERGES.c.worker))
        values = {"worker": self._me, "token": MERGES.c.token + 1, "updated_at": self._now()}
        with self._engine.begin() as connection:
            # Two at once would both see no worker: Postgres does not look at the others again for
            # a row that it has waited for.
            lock_taking(connection)
            token = connection.execute(chosen.values(values).returning(MERGES.c.token)).scalar()
        if token is None:
            return None
        return MergeTurn(id=name, repository=repository, branch=branch, token=token)

    def _make_row(self, name: str, repository: str, branch: str) -> None:
        row = {"id": name, "repository": repository, "target": branch, "updated_at": self._now()}
        there = sa.select(MERGES.c.id).where(MERGES.c.id == name)
        with self._engine.connect() as connection:
            if connection.execute(there).scalar() is not None:
                return
        try:
            with self._engine.begin() as connection:
                connection.execute(MERGES.insert().values(row))
        except sa.exc.IntegrityError:
            # Another worker was quicker.
            return

    def require(self, turn: MergeTurn) -> None:
        """Raise LostLease unless the merges are still ours."""
        with self._engine.connect() as connection:
            chosen = sa.select(MERGES.c.id).where(*self._is_mine(turn))
            if connection.execute(chosen).scalar() is None:
                self._lease.lose()

    def _is_mine(self, turn: MergeTurn) -> Sequence[sa.ColumnElement[bool]]:
        return (
            MERGES.c.id == turn.id,
            MERGES.c.token == turn.token,
            MERGES.c.worker == self._me,
            is_alive(self._me),
        )

    def list_waiting(self, turn: MergeTurn, can_merge: CanDo) -> tuple[WaitingTask, ...]:
        """Return the next batch, in the order in which the tasks were done."""
        chosen = (
            sa.select(TASKS)
            .where(_HAS_TARGET, TASKS.c.state == "merging")
            .where(TASKS.c.repository == turn.repository, TASKS.c.target == turn.branch)
            .order_by(TASKS.c.updated_at, TASKS.c.number)
        )
        with self._engine.connect() as connection:
            rows = connection.execute(chosen).mappings().all()
        return tuple(_read_waiting(row) for row in rows if can_merge(row["route"]))[:_LARGEST_BATCH]

    def list_merged(self, turn: MergeTurn) -> dict[str, Course]:
        """Return the newest tasks that were merged into the branch."""
        chosen = (
            sa.select(TASKS.c.id, TASKS.c.result)
            .where(_HAS_TARGET, TASKS.c.state == "done")
            .where(TASKS.c.repository == turn.repository, TASKS.c.target == turn.branch)
            .order_by(TASKS.c.updated_at.desc())
            .limit(_MERGED_BEFORE)
        )
        with self._engine.connect() as connection:
            rows = connection.execute(chosen).all()
        return {name: msgspec.json.decode(result, type=Course) for name, result in rows}

    def record(self, turn: MergeTurn, changes: Iterable[MergeChange]) -> tuple[MergeChange, ...]:
        """Write what became of the tasks, unless the merges are no longer ours.

        Returns the changes of tasks that still waited.
        """
        mine = sa.update(MERGES).where(*self._is_mine(turn)).values(updated_at=self._now())
        with self._engine.begin() as connection:
            lock_taking(connection)
            if not connection.execute(mine).rowcount:
                self._lease.lose()
            return tuple(change for change in changes if self._write(connection, change))

    def _write(self, connection: sa.Connection, change: MergeChange) -> bool:
        row = sa.update(TASKS).where(TASKS.c.id == change.task.id, TASKS.c.state == "merging")
        values = {
            **change.values,
            "state": change.state,
            "outcome": change.outcome or "",
            "reason": change.reason,
            "cancelling": 0,
            "updated_at": self._now(),
        }
        if not connection.execute(row.values(values)).rowcount:
            return False
        connection.execute(STEPS.insert().values(self._make_step(change)))
        if change.state == "done":
            release_dependents(connection, change.task.id)
        return True

    def _make_step(self, change: MergeChange) -> dict[str, object]:
        return {
            "task": change.task.id,
            "attempt": change.values.get("attempt", change.task.attempt),
            "token": change.task.token,
            "worker": self._me,
            "name": change.step,
            "detail": to_one_line(change.detail or change.reason),
            "data": encode(change.checkpoint) if change.checkpoint else "",
            "at": self._now(),
        }

    def release(self, turn: MergeTurn) -> None:
        """Let others merge into the branch."""
        mine = sa.update(MERGES).where(MERGES.c.id == turn.id, MERGES.c.token == turn.token)
        with self._engine.begin() as connection:
            connection.execute(mine.values(worker=""))


def _read_waiting(row: sa.RowMapping) -> WaitingTask:
    return WaitingTask(
        id=row["id"],
        attempt=row["attempt"],
        token=row["token"],
        is_cancelling=bool(row["cancelling"]),
        options=msgspec.json.decode(row["options"], type=StartOptions),
        course=msgspec.json.decode(row["result"], type=Course),
    )
