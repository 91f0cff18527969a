"""Whether a limit of the queue is used up: values and functions of values.

Money is in millionths of a USD, so that sums of many small costs are exact.
"""

import re
from collections.abc import Iterable
from typing import Literal, TypeAlias

from msgspec import Struct

from untildone.errors import UserError
from untildone.runs.queue.values import QueueLimit

Kind: TypeAlias = Literal["queue", "repository", "account"]
Period: TypeAlias = Literal["", "day", "hour"]
MICRO = 1_000_000
_MINUTES: dict[Period, int] = {"": 0, "hour": 60, "day": 24 * 60}
_SINCE: dict[Period, str] = {"": "since it was set", "day": "today", "hour": "this hour"}
# 5, 4.80/day, 0.5/hour
_BUDGET = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)(?:/(day|hour))?")
# 10/hour
_RATE = re.compile(r"(\d{1,6})/hour")


class Limit(Struct, frozen=True, kw_only=True):
    """What may be used; 0 is no limit."""

    kind: Kind
    name: str = ""
    budget_micro: int = 0
    period: Period = ""
    rate: int = 0
    parallel: int = 0


class Used(Struct, frozen=True, kw_only=True):
    """What is used of a limit; `reserved_micro` is what running tasks may still spend."""

    spent_micro: int = 0
    reserved_micro: int = 0
    started: int = 0
    running: int = 0


class Wish(Struct, frozen=True, kw_only=True):
    """What a task needs; one that another worker has begun is not started again."""

    repository: str
    account: str
    reserve_micro: int = 0
    is_start: bool = True


def parse_budget(text: str) -> tuple[int, Period]:
    """Return the money and the period of `5/day`."""
    match = _BUDGET.fullmatch(text.strip())
    amount = round(float(match[1]) * MICRO) if match else 0
    if not match or not amount:
        raise UserError(f"`--budget {text}` is no budget", hint="write it like `5`, or `2.50/day`")
    period: Period = "day" if match[2] == "day" else "hour" if match[2] else ""
    return amount, period


def parse_rate(text: str) -> int:
    match = _RATE.fullmatch(text.strip())
    if not match or not int(match[1]):
        raise UserError(f"`--rate {text}` is no rate", hint="write it like `10/hour`")
    return int(match[1])


def get_first_minute(period: Period, minute: int) -> int:
    """Return the minute since the epoch in which the period of this minute began, in UTC."""
    return minute - minute % _MINUTES[period] if period else 0


def is_concerned(limit: Limit, wish: Wish) -> bool:
    names = {"queue": "", "repository": wish.repository, "account": wish.account}
    return limit.name == names[limit.kind]


def explain_hold(limits: Iterable[tuple[Limit, Used]], wish: Wish) -> str:
    """Return why a task may not be taken now, by the first limit that is used up; else nothing."""
    reasons = (_explain(limit, used, wish) for limit, used in limits if is_concerned(limit, wish))
    return next(filter(None, reasons), "")


def can_ever_fit(limits: Iterable[tuple[Limit, Used]], wish: Wish) -> bool:
    """Say whether the task could be taken if nothing else were used."""
    return not explain_hold([(limit, Used()) for limit, _ in limits], wish)


def _explain(limit: Limit, used: Used, wish: Wish) -> str:
    whose = limit.name or "the queue"
    if limit.parallel and used.running >= limit.parallel:
        return f"{used.running} of {limit.parallel} tasks of {whose} are running"
    if limit.rate and wish.is_start and used.started >= limit.rate:
        return f"rate of {whose} used up, {used.started} of {limit.rate} tasks in the last hour"
    return _explain_budget(limit, used, wish, whose) if limit.budget_micro else ""


def _explain_budget(limit: Limit, used: Used, wish: Wish, whose: str) -> str:
    budget, taken = limit.budget_micro, used.spent_micro + used.reserved_micro
    since = _SINCE[limit.period]
    if taken < budget and taken + wish.reserve_micro <= budget:
        return ""
    shown = f"{_format(taken)} of {_format(budget)} USD {since}"
    if wish.reserve_micro > budget:
        return (
            f"budget of {whose} is {_format(budget)} USD,"
            f" less than the {_format(wish.reserve_micro)} USD of the task"
        )
    if used.spent_micro >= budget:
        return f"budget of {whose} used up, {shown}"
    return f"budget of {whose} used up or reserved by running tasks, {shown}" + (
        f", and the task may need {_format(wish.reserve_micro)}" if taken < budget else ""
    )


def _format(micro: int) -> str:
    return f"{micro / MICRO:.2f}"


def show_limit(limit: Limit, used: Used) -> QueueLimit:
    """Return the limit as commands print it."""
    return QueueLimit(
        kind=limit.kind,
        name=limit.name,
        budget_usd=limit.budget_micro / MICRO if limit.budget_micro else None,
        period=limit.period,
        rate=limit.rate or None,
        parallel=limit.parallel or None,
        spent_usd=used.spent_micro / MICRO,
        reserved_usd=used.reserved_micro / MICRO,
        started=used.started,
        running=used.running,
    )
