"""What becomes of a task after a fault: another try, when, or the dead letters.

A fault says nothing about the work: the client crashed, a transfer failed, a worker died. What
ended by judgement (out of rounds, unverified, blocked, cancelled) is never tried again by itself.
"""

import re

from msgspec import Struct

# The client's faults that another try may cure (`agents/headless.py`), and our own: a git transfer,
# an error of untildone or of its database, and workers that died.
CURABLE = frozenset(("overloaded", "network", "lost", "crashed", "transfer", "failed", "worker"))
# The account sleeps, and the task is nobody's fault.
LIMIT = "limit"
_FIRST_SECONDS = 60
_GROWTH = 4
_LONGEST_SECONDS = 3_600
_JITTER = 0.2
_FIRST_SLEEP, _LONGEST_SLEEP = 60, 1_800
_LONGEST_LIMIT = 8 * 24 * 3_600
# git's complaints that another try meets again.
_PERMANENT = re.compile(
    r"couldn't find remote ref|not our ref|\[(?:remote )?rejected\]|hook declined"
    r"|stale info|transport '\w+' not allowed",
    re.I,
)


class Again(Struct, frozen=True, kw_only=True):
    """The task is queued again; `is_counted` if that uses up a retry."""

    seconds: float
    is_counted: bool


class Over(Struct, frozen=True, kw_only=True):
    """The task has ended; `is_dead` if only its retries are used up."""

    is_dead: bool


def plan_retry(fault: str, *, faults: int, retries: int, chance: float) -> Again | Over:
    """Return what follows a fault after so many earlier ones; `chance` is from 0 to 1."""
    if fault == LIMIT:
        return Again(seconds=0, is_counted=False)
    if fault not in CURABLE:
        return Over(is_dead=False)
    if faults >= retries:
        return Over(is_dead=True)
    return Again(seconds=compute_delay(faults, chance), is_counted=True)


def plan_after_death(*, deaths: int, faults: int, retries: int, chance: float) -> Again | Over:
    """Return what follows when so many workers died in a row on one task.

    One death is taken for an accident and costs nothing; each further one uses up a retry.
    """
    if deaths <= 1:
        return Again(seconds=0, is_counted=False)
    return plan_retry("worker", faults=faults, retries=retries, chance=chance)


def compute_delay(faults: int, chance: float) -> float:
    """Return the seconds before another try: 1, 4, 16 … minutes, up to an hour, not all at once."""
    # A small exponent reaches the longest delay; a large one would overflow.
    growth = float(_GROWTH ** min(faults, 9))
    return min(_FIRST_SECONDS * growth, _LONGEST_SECONDS) * (1 - _JITTER + 2 * _JITTER * chance)


def compute_sleep(seconds: float, *, last: float, is_recent: bool) -> float:
    """Return how long an account sleeps; `last` is its sleep before, if that was recent.

    A limit that names no end, or an impossible one, is tried after a minute, then more rarely.
    """
    if 0 < seconds < _LONGEST_LIMIT:
        return seconds
    return min(max(2 * last, _FIRST_SLEEP), _LONGEST_SLEEP) if is_recent else _FIRST_SLEEP


def is_curable_transfer(complaint: str) -> bool:
    """Say whether git may succeed with the same transfer later."""
    return not _PERMANENT.search(complaint)
