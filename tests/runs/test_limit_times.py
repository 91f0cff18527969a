"""Ends of usage limits in words, read on a Wednesday at noon in UTC."""

from datetime import UTC, datetime, timedelta

import pytest

from untildone.runs.limit_times import parse_limit_end

NOW = datetime(2026, 10, 7, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Claude AI usage limit reached|1791400000", datetime(2026, 10, 7, 19, 6, 40, tzinfo=UTC)),
        ("limit resets at 1791400000000", datetime(2026, 10, 7, 19, 6, 40, tzinfo=UTC)),
        ("Too many requests, try again in 5 minutes", NOW + timedelta(minutes=5)),
        ("Limit reached. Resets in 2h 15m.", NOW + timedelta(hours=2, minutes=15)),
        ("please retry after 1 hour and 30 seconds", NOW + timedelta(hours=1, seconds=30)),
        ("429: Retry-After: 90", NOW + timedelta(seconds=90)),
        ("5-hour limit reached ∙ resets 3pm", NOW.replace(hour=15)),
        ("Your limit will reset at 15:30", NOW.replace(hour=15, minute=30)),
        ("You've hit your limit · resets 3pm (Europe/Berlin)", NOW.replace(hour=13)),
        ("You've hit your limit · resets 3pm (Nowhere/Such)", NOW.replace(hour=15)),
        ("limit reached, resets 12:30am", NOW.replace(day=8, hour=0, minute=30)),
        ("limit reached, resets 9am", NOW.replace(day=8, hour=9)),
        ("limit reached, resets 12pm", NOW),
        ("Weekly limit reached ∙ resets Oct 9, 5am", NOW.replace(day=9, hour=5)),
        ("Weekly limit reached ∙ resets January 2 at 5am", NOW.replace(2027, 1, 2, 5)),
        ("Weekly limit reached ∙ resets Mon 9am", NOW.replace(day=12, hour=9)),
        ("Weekly limit reached ∙ resets Wednesday 9am", NOW.replace(day=14, hour=9)),
    ],
)
def test_a_stated_end_is_read(text: str, expected: datetime) -> None:
    assert parse_limit_end(text, NOW) == expected.timestamp()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "This request would exceed your account's rate limit",
        "resets 3 of them",
        "resets at 25:00",
        "resets Feb 31 at 5am",
        "took 12 of 15 tokens in 500ms",
    ],
)
def test_where_none_is_stated_there_is_none(text: str) -> None:
    assert parse_limit_end(text, NOW) == 0
