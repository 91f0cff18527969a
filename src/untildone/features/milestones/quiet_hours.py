"""The user's quiet hours, such as `22:00-07:00`, in which no notification is sent."""

from datetime import time

from untildone.config.schema import QUIET_HOURS


def is_quiet(hours: str, now: time) -> bool:
    """Say whether the local time is within the hours; they may pass midnight."""
    match = QUIET_HOURS.fullmatch(hours)
    if match is None:
        return False
    first, last = time(int(match[1]), int(match[2])), time(int(match[3]), int(match[4]))
    if first <= last:
        return first <= now < last
    return now >= first or now < last
