"""How an attempt of a task ends in the database: done, ended, queued again, or a dead letter."""

import secrets
from collections.abc import Iterable

import sqlalchemy as sa
from msgspec import Struct

from untildone.core.text import to_one_line
from untildone.core.verdict import Outcome
from untildone.runs.queue.accounts import put_to_sleep
from untildone.runs.queue.database_time import read_time
from untildone.runs.queue.limit_rules import MICRO
from untildone.runs.queue.limits import record_usage
from untildone.runs.queue.retry_rules import LIMIT, Again, Over, plan_after_death, plan_retry
from untildone.runs.queue.selection import Candidate
from untildone.runs.queue.tables import STEPS, TASKS, WORKERS
from untildone.runs.queue.values import Course, QueueFailure, State, encode
from untildone.runs.queue.waits import release_dependents

# The steps that say why an attempt failed.
_RETRY, _DEAD = "retry", "dead"
_RANDOM = secrets.SystemRandom()


class Ending(Struct, frozen=True, kw_only=True):
    """What became of a task, and the step that says so."""

    state: State
    step: str
    detail: str


def record_spend(connection: sa.Connection, row: sa.RowMapping, spend_usd: float | None) -> None:
    """Count what a task has spent since it was last counted."""
    total = round(MICRO * (spend_usd or 0))
    if total <= row["spent_micro"]:
        return
    mine = sa.update(TASKS).where(TASKS.c.number == row["number"])
    connection.execute(mine.values(spent_micro=total))
    record_usage(
        connection,
        repository=row["repository"],
        account=row["account"],
        now_ms=read_time(connection),
        spent_micro=total - row["spent_micro"],
    )


def end_attempt(connection: sa.Connection, row: sa.RowMapping, course: Course) -> Ending:
    """Write how an attempt ended, and let the account sleep if it was at its limit."""
    if course.fault == LIMIT:
        put_to_sleep(connection, row["account"], seconds=course.limit_seconds, reason=course.reason)
    plan: Again | Over = plan_retry(
        course.fault, faults=row["faults"], retries=row["retries"], chance=_RANDOM.random()
    )
    mine = sa.update(TASKS).where(TASKS.c.number == row["number"])
    if isinstance(plan, Again) and not row["cancelling"]:
        again = {"attempt": TASKS.c.attempt + 1, "deaths": 0, "result": "", "outcome": ""}
        connection.execute(mine.values(**again, **_queue_again(connection, plan, course.reason)))
        name = _RETRY if plan.is_counted else "given back"
        return Ending(state="queued", step=name, detail=course.reason)
    is_dead = isinstance(plan, Over) and plan.is_dead
    state, outcome = _name_end(
        course, is_cancelled=isinstance(plan, Again), is_merged=bool(row["target"])
    )
    values = {
        "state": state,
        "outcome": "" if state == "merging" else outcome,
        "reason": course.reason,
        "result": encode(course),
        "cancelling": 0,
        "dead": int(is_dead),
    }
    connection.execute(mine.values(values))
    if state == "done":
        release_dependents(connection, row["id"])
    return Ending(state=state, step=_DEAD if is_dead else state, detail=course.reason)


def _name_end(course: Course, *, is_cancelled: bool, is_merged: bool) -> tuple[State, Outcome]:
    outcome: Outcome = "cancelled" if is_cancelled else course.outcome or "unverified"
    if outcome == "cancelled":
        return "cancelled", outcome
    if not course.branch:
        return "ended", outcome
    return ("merging" if is_merged else "done"), outcome


def _queue_again(connection: sa.Connection, plan: Again, reason: str) -> dict[str, object]:
    """Return the values of a task that waits for its next try."""
    return {
        "state": "queued",
        "worker": "",
        "cancelling": 0,
        "reason": reason,
        "waits": "time" if plan.seconds else "",
        "not_before_ms": read_time(connection) + round(1_000 * plan.seconds),
        "faults": TASKS.c.faults + int(plan.is_counted),
    }


def judge_left_task(connection: sa.Connection, one: Candidate) -> Ending | None:
    """Count the death of a task's worker; return None if another may take it over at once.

    A task that kills its workers one after another must not get all of them.
    """
    state = sa.select(WORKERS.c.state).where(WORKERS.c.id == one.worker)
    if connection.execute(state).scalar() != "dead":
        return None
    deaths = one.deaths + 1
    mine = sa.update(TASKS).where(TASKS.c.number == one.number)
    plan = plan_after_death(
        deaths=deaths, faults=one.faults, retries=one.retries, chance=_RANDOM.random()
    )
    connection.execute(mine.values(deaths=deaths))
    if isinstance(plan, Again) and not plan.is_counted:
        return None
    reason = f"{deaths} workers died while they had it, without a round in between"
    if isinstance(plan, Again):
        values = _queue_again(connection, plan, reason)
        connection.execute(mine.values(**values, token=TASKS.c.token + 1))
        return Ending(state="queued", step=_RETRY, detail=reason)
    values = {"state": "ended", "outcome": "unverified", "reason": reason, "dead": 1}
    connection.execute(mine.values(**values, token=TASKS.c.token + 1))
    return Ending(state="ended", step=_DEAD, detail=reason)


def make_step(one: Candidate, ending: Ending, *, at: str) -> sa.Insert:
    """Return the step of a task that nobody has; it is told of the worker that died."""
    return STEPS.insert().values(
        task=one.id,
        attempt=one.attempt,
        token=one.token,
        worker=one.worker,
        name=ending.step,
        detail=to_one_line(ending.detail),
        at=at,
    )


def list_failures(
    connection: sa.Connection, tasks: Iterable[str]
) -> dict[str, tuple[QueueFailure, ...]]:
    """Return why the attempts of these tasks failed, oldest first."""
    chosen = (
        sa.select(STEPS.c.task, STEPS.c.attempt, STEPS.c.at, STEPS.c.worker, STEPS.c.detail)
        .where(STEPS.c.task.in_(tuple(tasks)), STEPS.c.name.in_((_RETRY, _DEAD)))
        .order_by(STEPS.c.number)
    )
    found: dict[str, tuple[QueueFailure, ...]] = {}
    for task, attempt, at, worker, detail in connection.execute(chosen):
        failure = QueueFailure(attempt=attempt, at=at, worker=worker, reason=detail)
        found[task] = (*found.get(task, ()), failure)
    return found
