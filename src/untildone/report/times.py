"""Times and durations of a loop, as a person reads them; JSON keeps them in UTC."""

from datetime import datetime

from untildone.report.durations import format_seconds
from untildone.store.loops import Record


def format_time(at: str) -> str:
    """Return the time as `2026-05-04 13:07` in the local time zone."""
    return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M")


def format_clock(at: str) -> str:
    """Return the time of day as `13:07:42` in the local time zone."""
    return datetime.fromisoformat(at).astimezone().strftime("%H:%M:%S")


def measure_seconds(started_at: str, ended_at: str) -> float:
    """Return how many seconds lie between two times."""
    begin, end = map(datetime.fromisoformat, (started_at, ended_at))
    return max(0.0, (end - begin).total_seconds())


def measure_loop(record: Record) -> float:
    """Return the seconds from the loop's start to its end, or to its last change so far."""
    started_at = record.contract.started_at
    return measure_seconds(started_at, record.progress.updated_at or started_at)


def describe_effort(record: Record) -> str:
    """Return what the loop took: `4 min, 0.42 USD`."""
    return f"{format_seconds(measure_loop(record))}, {format_cost(record.progress.spend_usd)}"


def format_cost(spend_usd: float | None) -> str:
    return "cost unknown" if spend_usd is None else f"{spend_usd:.2f} USD"
