"""The limits of the queue in its database, and what is used of them.

They are decided in the transaction that takes a task, under the lock of `database_time.py`: two
workers at once cannot exceed one.
"""

from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy.dialects import postgresql, sqlite

from untildone.errors import UserError
from untildone.runs.queue.database_time import lock_taking, read_time
from untildone.runs.queue.limit_rules import (
    Kind,
    Limit,
    Used,
    get_first_minute,
    show_limit,
)
from untildone.runs.queue.tables import LIMITS, TASKS, USAGE, WORKERS
from untildone.runs.queue.values import QueueLimit
from untildone.runs.queue.waits import release_held

_ALIVE = ("alive", "draining")
_MINUTE_MS = 60_000
_RATE_MINUTES = 60
_KEPT_MINUTES = 3 * 24 * 60


class Running(Struct, frozen=True, kw_only=True):
    """How many tasks of a repository live workers run with an account."""

    repository: str
    account: str
    count: int
    # What they may still spend by their own budgets.
    reserved_micro: int


def list_running(connection: sa.Connection) -> tuple[Running, ...]:
    """Return what runs; a task whose worker is dead does not until another has taken it over."""
    rest = TASKS.c.budget_micro - TASKS.c.spent_micro
    chosen = (
        sa.select(
            TASKS.c.repository,
            TASKS.c.account,
            sa.func.count().label("count"),
            sa.func.sum(sa.case((rest > 0, rest), else_=0)).label("reserved_micro"),
        )
        .join(WORKERS, WORKERS.c.id == TASKS.c.worker)
        .where(TASKS.c.state == "running", WORKERS.c.state.in_(_ALIVE))
        .group_by(TASKS.c.repository, TASKS.c.account)
    )
    return tuple(
        Running(repository=repository, account=account, count=count, reserved_micro=int(reserved))
        for repository, account, count, reserved in connection.execute(chosen)
    )


def read_limits(
    connection: sa.Connection, running: Sequence[Running], now_ms: int
) -> tuple[tuple[Limit, Used], ...]:
    rows = connection.execute(sa.select(LIMITS).order_by(LIMITS.c.kind, LIMITS.c.name)).mappings()
    return tuple(_read_limit(connection, row, running, now_ms) for row in rows.all())


def _read_limit(
    connection: sa.Connection, row: sa.RowMapping, running: Sequence[Running], now_ms: int
) -> tuple[Limit, Used]:
    limit = _make_limit(row)
    minute = now_ms // _MINUTE_MS
    own = [one for one in running if _is_of(limit, one)]
    if limit.period:
        spent, _ = _sum_usage(connection, limit, get_first_minute(limit.period, minute))
    else:
        spent = _sum_total(connection, limit.kind, limit.name) - row["from_micro"]
    _, started = _sum_usage(connection, limit, minute - _RATE_MINUTES)
    used = Used(
        spent_micro=spent,
        reserved_micro=sum(one.reserved_micro for one in own),
        started=started,
        running=sum(one.count for one in own),
    )
    return limit, used


def _make_limit(row: sa.RowMapping) -> Limit:
    names = ("kind", "name", "budget_micro", "period", "rate", "parallel")
    return Limit(**{name: row[name] for name in names})


def _is_of(limit: Limit, running: Running) -> bool:
    names = {"queue": "", "repository": running.repository, "account": running.account}
    return limit.name == names[limit.kind]


def _sum_usage(connection: sa.Connection, limit: Limit, first_minute: int) -> tuple[int, int]:
    """Return what was spent and started since this minute.

    Rows of a later time than now, which a clock that was set back leaves, count too.
    """
    sums = sa.select(sa.func.sum(USAGE.c.spent_micro), sa.func.sum(USAGE.c.starts)).where(
        USAGE.c.kind == limit.kind, USAGE.c.name == limit.name, USAGE.c.minute >= first_minute
    )
    spent, started = connection.execute(sums).one()
    return int(spent or 0), int(started or 0)


def _sum_total(connection: sa.Connection, kind: Kind, name: str) -> int:
    chosen = sa.select(USAGE.c.spent_micro).where(
        USAGE.c.kind == kind, USAGE.c.name == name, USAGE.c.minute == 0
    )
    return int(connection.execute(chosen).scalar() or 0)


def list_last_starts(connection: sa.Connection, repositories: Sequence[str]) -> dict[str, int]:
    """Return when a task of each repository was last started."""
    chosen = sa.select(USAGE.c.name, USAGE.c.last_start_ms).where(
        USAGE.c.kind == "repository", USAGE.c.minute == 0, USAGE.c.name.in_(repositories)
    )
    return {row.name: row.last_start_ms for row in connection.execute(chosen)}


def record_usage(
    connection: sa.Connection,
    *,
    repository: str,
    account: str,
    now_ms: int,
    spent_micro: int = 0,
    starts: int = 0,
) -> None:
    """Count what was spent or started now for the queue, the repository and the account."""
    # Always in this order, so that two transactions wait for each other in one direction only.
    rows = [
        {
            "kind": kind,
            "name": name,
            "minute": minute,
            "spent_micro": spent_micro,
            "starts": starts,
            "last_start_ms": now_ms if starts else 0,
        }
        for kind, name in (("queue", ""), ("repository", repository), ("account", account))
        for minute in (0, now_ms // _MINUTE_MS)
    ]
    insert: Any = sqlite if connection.dialect.name == "sqlite" else postgresql
    new = insert.insert(USAGE).values(rows)
    added = {
        name: getattr(USAGE.c, name) + getattr(new.excluded, name)
        for name in ("spent_micro", "starts")
    }
    last = sa.case(
        (new.excluded.starts > 0, new.excluded.last_start_ms), else_=USAGE.c.last_start_ms
    )
    keys = [USAGE.c.kind, USAGE.c.name, USAGE.c.minute]
    connection.execute(
        new.on_conflict_do_update(index_elements=keys, set_={**added, "last_start_ms": last})
    )


def forget_old_usage(connection: sa.Connection) -> None:
    """Remove the minutes that no limit asks for any more; the sums stay."""
    before = read_time(connection) // _MINUTE_MS - _KEPT_MINUTES
    connection.execute(sa.delete(USAGE).where(USAGE.c.minute > 0, USAGE.c.minute < before))


class LimitBook:
    """The limits as their user sets and reads them."""

    def __init__(self, engine: sa.Engine, now: Callable[[], str]) -> None:
        self._engine = engine
        self._now = now

    def list_limits(self) -> tuple[QueueLimit, ...]:
        with self._engine.connect() as connection:
            running = list_running(connection)
            found = read_limits(connection, running, read_time(connection))
        return tuple(show_limit(limit, used) for limit, used in found)

    def set_limit(self, limit: Limit) -> None:
        """Set what the limit names and keep the rest of it; a new budget counts from now on."""
        with self._engine.begin() as connection:
            lock_taking(connection)
            before = self._find(connection, limit)
            from_micro = _sum_total(connection, limit.kind, limit.name)
            if before and not limit.budget_micro:
                from_micro = before["from_micro"]
            merged = _merge(limit, _make_limit(before)) if before else limit
            self._write(connection, merged, from_micro=from_micro)
            release_held(connection)

    def remove_limit(self, kind: Kind, name: str) -> None:
        with self._engine.begin() as connection:
            lock_taking(connection)
            gone = sa.delete(LIMITS).where(LIMITS.c.kind == kind, LIMITS.c.name == name)
            if not connection.execute(gone).rowcount:
                raise UserError(
                    f"there is no limit of {name or 'the queue'}",
                    hint="`untildone queue limit` lists them",
                )
            release_held(connection)

    def _find(self, connection: sa.Connection, limit: Limit) -> sa.RowMapping | None:
        chosen = sa.select(LIMITS).where(LIMITS.c.kind == limit.kind, LIMITS.c.name == limit.name)
        return connection.execute(chosen).mappings().first()

    def _write(self, connection: sa.Connection, limit: Limit, *, from_micro: int) -> None:
        connection.execute(
            sa.delete(LIMITS).where(LIMITS.c.kind == limit.kind, LIMITS.c.name == limit.name)
        )
        names = ("kind", "name", "budget_micro", "period", "rate", "parallel")
        values = {name: getattr(limit, name) for name in names}
        connection.execute(
            LIMITS.insert().values(**values, from_micro=from_micro, set_at=self._now())
        )


def _merge(new: Limit, kept: Limit) -> Limit:
    """Return the new limit with what it does not say from the one before."""
    money = new if new.budget_micro else kept
    return replace(
        new,
        budget_micro=money.budget_micro,
        period=money.period,
        rate=new.rate or kept.rate,
        parallel=new.parallel or kept.parallel,
    )
