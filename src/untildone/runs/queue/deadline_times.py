"""A deadline as the user writes it (a time, or how long from now) and as it is shown."""

import re
from datetime import UTC, datetime

from untildone.errors import UserError

# 90m, 4h, 2d, 1d12h
_DURATION = re.compile(r"(?:(\d{1,5})d)?(?:(\d{1,5})h)?(?:(\d{1,6})m)?(?:(\d{1,7})s)?", re.I)
_SECONDS = (86_400, 3_600, 60, 1)
_LATEST = datetime(9000, 1, 1, tzinfo=UTC)


def parse_deadline(text: str, now_ms: int) -> int:
    """Return the deadline in milliseconds since the epoch; a time without a zone is local."""
    words = text.strip()
    match = _DURATION.fullmatch(words)
    if words and match:
        parts = zip(match.groups(default="0"), _SECONDS, strict=True)
        return now_ms + 1_000 * sum(int(count) * unit for count, unit in parts)
    try:
        moment = datetime.fromisoformat(words).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        moment = _LATEST
    if moment >= _LATEST:
        raise UserError(
            f"`{text[:40]}` is no deadline",
            hint="write a time such as `2026-05-04T18:00`, or how long from now: `4h`, `2d`",
        )
    return round(1_000 * moment.timestamp())


def format_moment(milliseconds: int) -> str:
    """Return a time in UTC, as `2026-01-31T12:00:00+00:00`; an empty text for none."""
    if not milliseconds:
        return ""
    return datetime.fromtimestamp(milliseconds // 1_000, UTC).isoformat(timespec="seconds")


def explain_passed(deadline_ms: int) -> str:
    """Return the reason of a task that ended at its deadline."""
    return f"its deadline {format_moment(deadline_ms)} passed before it was done"
