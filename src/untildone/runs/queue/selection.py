"""Which task comes next: by priority, then fairly between repositories, within the limits.

Of each route (agent, labels, repository) only the first task that may be taken is read, by an
index: how many are queued behind it does not matter.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import sqlalchemy as sa
from msgspec import Struct

from untildone.runs.queue.accounts import list_asleep
from untildone.runs.queue.limit_rules import Limit, Used, Wish, can_ever_fit, explain_hold
from untildone.runs.queue.limits import list_last_starts, list_running, read_limits
from untildone.runs.queue.tables import STEPS, TASKS, WORKERS
from untildone.runs.queue.waits import has_unmet_need

_ALIVE = ("alive", "draining")
# Which routes (agent, labels, repository) a worker can do.
CanDo: TypeAlias = Callable[[str], bool]
# The account that a worker uses for the agent of a route; empty for one that names no agent.
GetAccount: TypeAlias = Callable[[str], str]


class Candidate(Struct, frozen=True, kw_only=True):
    """A task that is queued, or that a dead worker left."""

    number: int
    id: str
    route: str
    repository: str
    priority: int
    state: str
    worker: str
    token: int
    attempt: int
    budget_micro: int
    spent_micro: int
    deaths: int
    faults: int
    retries: int

    @property
    def is_left(self) -> bool:
        return self.state == "running"


class Choice(Struct, frozen=True, kw_only=True):
    """The candidates in their order: those that may be taken, and those that never fit a limit."""

    ready: tuple[Candidate, ...]
    oversized: tuple[Candidate, ...] = ()


def choose(
    connection: sa.Connection,
    *,
    can_do: CanDo,
    get_account: GetAccount,
    now_ms: int,
    even_asleep: bool = False,
) -> Choice:
    """Return what a worker may take now; with `even_asleep` also for accounts that sleep."""
    candidates = _list_candidates(connection, can_do)
    asleep = {} if even_asleep else list_asleep(connection, now_ms)
    accounts = {one.id: get_account(one.route.partition("\t")[0]) for one in candidates}
    candidates = [one for one in candidates if accounts[one.id] not in asleep]
    if not candidates:
        return Choice(ready=())
    running = list_running(connection)
    limits = read_limits(connection, running, now_ms)
    counts: dict[str, int] = {}
    for one in running:
        counts[one.repository] = counts.get(one.repository, 0) + one.count
    served = list_last_starts(connection, [one.repository for one in candidates])
    ordered = order_candidates(candidates, running=counts, served=served)
    return _apply_limits(ordered, limits, accounts)


def order_candidates(
    candidates: Iterable[Candidate], *, running: Mapping[str, int], served: Mapping[str, int]
) -> list[Candidate]:
    """Return higher priorities first, then what was begun, then whose repository has least.

    Least are the fewest running tasks, then the longest time since it was served.
    """

    def rank(one: Candidate) -> tuple[int, bool, int, int, int]:
        repository = one.repository
        share = (running.get(repository, 0), served.get(repository, 0))
        return (-one.priority, not one.is_left, *share, one.number)

    return sorted(candidates, key=rank)


def _apply_limits(
    candidates: Iterable[Candidate],
    limits: tuple[tuple[Limit, Used], ...],
    accounts: Mapping[str, str],
) -> Choice:
    ready, oversized = [], []
    for one in candidates:
        wish = make_wish(one, accounts[one.id])
        if not explain_hold(limits, wish):
            ready.append(one)
        elif not one.is_left and not can_ever_fit(limits, wish):
            oversized.append(one)
    return Choice(ready=tuple(ready), oversized=tuple(oversized))


def make_wish(one: Candidate, account: str) -> Wish:
    return Wish(
        repository=one.repository,
        account=account,
        reserve_micro=max(one.budget_micro - one.spent_micro, 0),
        is_start=not one.is_left,
    )


def _list_candidates(connection: sa.Connection, can_do: CanDo) -> list[Candidate]:
    heads = connection.execute(select_heads()).all()
    numbers = [head.number for head in heads if head.number is not None and can_do(head.route)]
    columns = [TASKS.c[name] for name in Candidate.__struct_fields__]
    queued = sa.select(*columns).where(TASKS.c.number.in_(numbers))
    found = connection.execute(queued).mappings().all() if numbers else []
    left = connection.execute(sa.select(*columns).where(is_left())).mappings().all()
    rows = (*found, *(row for row in left if can_do(row["route"])))
    return [Candidate(**row) for row in rows]


def select_heads() -> sa.Select[Any]:
    """Return the query for the first task of each route, which jumps from route to route."""
    ready = (TASKS.c.state == "queued", TASKS.c.waits == "")
    first = sa.select(sa.func.min(TASKS.c.route).label("route")).where(*ready)
    routes = first.cte("routes", recursive=True)
    following = sa.select(sa.func.min(TASKS.c.route)).where(*ready, TASKS.c.route > routes.c.route)
    routes = routes.union_all(
        sa.select(following.correlate(routes).scalar_subquery()).where(routes.c.route.is_not(None))
    )
    head = (
        sa.select(TASKS.c.number)
        .where(*ready, TASKS.c.route == routes.c.route)
        .order_by(TASKS.c.priority.desc(), TASKS.c.number)
        .limit(1)
        .correlate(routes)
        .scalar_subquery()
    )
    return sa.select(routes.c.route, head.label("number")).where(routes.c.route.is_not(None))


def is_left() -> sa.ColumnElement[bool]:
    """Return the condition that the worker of a running task is gone."""
    is_held = sa.exists().where(WORKERS.c.id == TASKS.c.worker, WORKERS.c.state.in_(_ALIVE))
    return sa.and_(TASKS.c.state == "running", ~is_held)


def is_free() -> sa.ColumnElement[bool]:
    """Return the condition that a task waits for nobody: queued, or its worker is gone."""
    return sa.or_(sa.and_(TASKS.c.state == "queued", ~has_unmet_need()), is_left())


def has_steps(connection: sa.Connection, row: sa.RowMapping) -> bool:
    """Say whether an earlier worker had this attempt."""
    attempts = sa.select(STEPS.c.number).where(
        STEPS.c.task == row["id"], STEPS.c.attempt == row["attempt"], STEPS.c.name == "taken"
    )
    return connection.execute(attempts.limit(1)).scalar() is not None
