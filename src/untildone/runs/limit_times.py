"""The end of a usage limit, parsed from a client's message."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

# usage limit reached|1760000000
_EPOCH = re.compile(r"\b(1\d{9})(?:\d{3})?\b")
# try again in 5 minutes; resets in 2h 15m
_AFTER = re.compile(r"\b(?:in|after)\s+((?:\d+\s*(?!ms)[dhms][a-z]*[\s,]*(?:and\s+)?)+)", re.I)
_PART = re.compile(r"(\d+)\s*([dhms])", re.I)
_SECONDS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
# retry-after: 30
_RETRY = re.compile(r"\bretry[- ]after:?\s*(\d+)\b", re.I)
# A message that names a day or a time of day:
# resets 3pm (Europe/Berlin); will reset at 15:30; resets Oct 9, 5am; resets Mon 9am
_AT = re.compile(
    r"\breset(?:s|ting)?\s+(?:at\s+|on\s+)?"
    r"(?:(?P<name>[a-z]{3})[a-z]*\.?(?:\s+(?P<day>\d{1,2}))?(?:,|\s+at|,\s+at)?\s+)?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\s*(?P<half>am\b|pm\b)?(?:\s*\((?P<zone>[\w/+-]+)\))?",
    re.I,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
# A time of day that passed a moment ago means now, not tomorrow.
_JUST_NOW = timedelta(minutes=10)


def parse_limit_end(text: str, now: datetime) -> float:
    """Return the end in seconds since the epoch; 0 if the text names no time."""
    return next(_find_times(text, now), 0)


def _find_times(text: str, now: datetime) -> Iterator[float]:
    if match := _EPOCH.search(text):
        yield float(match[1])
    if match := _AFTER.search(text):
        parts = _PART.findall(match[1])
        yield now.timestamp() + sum(int(count) * _SECONDS[unit.lower()] for count, unit in parts)
    if match := _RETRY.search(text):
        yield now.timestamp() + int(match[1])
    for match in _AT.finditer(text):
        # A number alone is not a time of day.
        if match["half"] or match["minute"]:
            yield from _parse_time_of_day(match, now)


def _parse_time_of_day(match: re.Match[str], now: datetime) -> Iterator[float]:
    try:
        local = now.astimezone(ZoneInfo(match["zone"])) if match["zone"] else now
    except (ZoneInfoNotFoundError, ValueError):
        local = now
    half, hour = (match["half"] or "").lower(), int(match["hour"])
    hour = hour % 12 + (12 if half == "pm" else 0) if half else hour
    try:
        clock = local.replace(hour=hour, minute=int(match["minute"] or 0), second=0, microsecond=0)
        yield _find_next_occurrence(match, clock, now).timestamp()
    except ValueError:
        # 25:00 or the 31st of February.
        return


def _find_next_occurrence(match: re.Match[str], clock: datetime, now: datetime) -> datetime:
    name = (match["name"] or "").lower()
    if name in _MONTHS and match["day"]:
        moment = clock.replace(month=_MONTHS.index(name) + 1, day=int(match["day"]))
        return moment if moment > now - _JUST_NOW else moment.replace(year=moment.year + 1)
    if name in _WEEKDAYS:
        clock += timedelta(days=(_WEEKDAYS.index(name) - clock.weekday()) % 7)
        return clock if clock > now - _JUST_NOW else clock + timedelta(days=7)
    return clock if clock > now - _JUST_NOW else clock + timedelta(days=1)
