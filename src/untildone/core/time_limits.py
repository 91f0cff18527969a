"""How long a check may take: what the configuration says, else what its past runs need."""

from collections.abc import Sequence

from msgspec import Struct

from untildone.core.check_results import CheckResult

# Outcomes of runs that did not get to their end.
_CUT_SHORT = ("timed-out", "unrunnable")
_SLOW_SECONDS = 10


class TimeRules(Struct, frozen=True, kw_only=True):
    """How the limit of a check without a `timeout` follows from its past runs.

    `first` is the least limit, in seconds, `factor` how often its longest run fits into it, and
    `longest` the largest limit: a stop runs a check twice, to judge and to confirm it.
    """

    first: float = 600
    factor: float = 3
    longest: float = 3_500


DEFAULT_RULES = TimeRules()


def find_time_limit(
    timeout: float | None, past: Sequence[CheckResult], rules: TimeRules = DEFAULT_RULES
) -> float:
    """Return after how many seconds a check is ended; `past` are its remembered runs.

    The longest run counts, not the last: a run that fails early says nothing about the whole. A
    check that was never green and ran out of time gets twice as long the next time, since nobody
    knows how long it takes. One that was green took its time before: now it may hang.
    """
    if timeout is not None:
        return timeout
    limit = max(rules.first, rules.factor * max(_list_durations(past), default=0))
    if not any(run.green for run in past):
        timed_out = (run.seconds for run in past if run.outcome == "timed-out")
        limit = max(limit, 2 * max(timed_out, default=0))
    return min(limit, rules.longest)


def describe_time_limit(limit: float, rules: TimeRules = DEFAULT_RULES) -> str:
    """Say how long a check may take; empty where that is the usual time."""
    return "" if limit == rules.first else f"may take {limit:g} seconds"


def explain_time_out(limit: float, next_limit: float) -> str:
    """Say when a check was ended, how long its next run may take, and how to change that."""
    longer = f"; next time it may take {next_limit:g}" if next_limit > limit else ""
    remedy = "set `timeout` in `untildone.toml` if it needs longer"
    return f"did not end within {limit:g} seconds{longer}; {remedy}"


def estimate_seconds(past: Sequence[CheckResult]) -> float | None:
    """Return how long the next run will probably take; None if none of the past runs ended."""
    green = [run.seconds for run in past if run.green]
    return green[-1] if green else max(_list_durations(past), default=None)


def is_slow(past: Sequence[CheckResult]) -> bool:
    """Say whether a part of the check should run first, since the whole takes long."""
    return max(_list_durations(past), default=0) >= _SLOW_SECONDS


def _list_durations(past: Sequence[CheckResult]) -> list[float]:
    return [run.seconds for run in past if run.outcome not in _CUT_SHORT]
