"""What a notification says, which events it is sent for, and the hours in which it is not."""

from datetime import time

import pytest
from msgspec.structs import replace

from untildone.config.schema import Event, Milestone, Notify, UserSettings
from untildone.core.progress import Progress
from untildone.core.verdict import INTERRUPTED_BY_USER, PAUSED_BY_USER
from untildone.features.milestones.events import MilestoneEvent
from untildone.features.milestones.milestones import list_ending_events, list_user_milestones
from untildone.features.milestones.notice_text import write_body, write_title
from untildone.features.milestones.quiet_hours import is_quiet

EVENT = MilestoneEvent(
    event="pause",
    loop="1f2e",
    agent="claude",
    session="s1",
    project="/work/shop",
    task="port it",
    at="2026-05-04T12:00:00+00:00",
    status="paused",
    outcome="out-of-rounds",
    reason="round 3 of 3",
    round=3,
    max_rounds=3,
    unmet=("test", "lint"),
    remaining=2,
    improved=None,
    spend_usd=None,
    needs_you="`untildone continue 1f2e --rounds +N`",
    look="`untildone report 1f2e`",
)


@pytest.mark.parametrize(
    ("event", "outcome", "title"),
    [
        ("start", None, "started"),
        ("round", None, "held"),
        ("half", None, "half way"),
        ("done", "done", "done"),
        ("done", "claimed", "claimed"),
        ("pause", "stagnated", "paused (stagnated)"),
        ("budget", "out-of-budget", "out of budget"),
        ("gate", "gate", "asks you"),
        ("approval", "needs-approval", "needs your approval"),
        ("test", None, "this is a test"),
        ("pause", None, "pause"),
    ],
)
def test_titles(event: Event, outcome: str | None, title: str) -> None:
    sent = replace(EVENT, event=event, outcome=outcome)

    assert write_title(sent) == f"untildone: {title} (shop, round 3)"


def test_the_text_says_why_and_what_to_do() -> None:
    assert write_body(EVENT).splitlines() == [
        "port it",
        "round 3 of 3",
        "unmet: test, lint",
        "to continue: `untildone continue 1f2e --rounds +N`",
        "`untildone report 1f2e`",
    ]
    linked = replace(EVENT, link="http://127.0.0.1:8000/loops/1f2e")
    assert write_body(linked).splitlines()[-1] == "http://127.0.0.1:8000/loops/1f2e"


def test_hostile_text_is_inert_and_short() -> None:
    hostile = "\x1b[31mred\n\u202eevil " + "x" * 1_000_000
    sent = replace(EVENT, task=hostile, project=f"/work/{hostile}", reason=hostile)

    title, body = write_title(sent), write_body(sent)

    assert (len(title) <= 100, len(body) < 1_000) == (True, True)
    assert body.startswith("red evil xx")
    assert not {"\x1b", "\u202e"} & set(title + body)


@pytest.mark.parametrize(
    ("progress", "events"),
    [
        (Progress(), ()),
        (Progress(status="finished", outcome="done"), ("done",)),
        (Progress(status="finished", outcome="cancelled"), ()),
        (Progress(status="paused", outcome="paused", reason=PAUSED_BY_USER), ()),
        (Progress(status="paused", outcome="paused", reason=INTERRUPTED_BY_USER), ()),
        (Progress(status="paused", outcome="paused", reason="usage limit: x"), ("pause",)),
        (Progress(status="paused", outcome="out-of-budget"), ("pause", "budget")),
        (Progress(status="paused", outcome="gate"), ("pause", "gate")),
        (Progress(status="paused", outcome="needs-approval"), ("pause", "approval")),
    ],
)
def test_which_ends_are_events(progress: Progress, events: tuple[Event, ...]) -> None:
    assert list_ending_events(progress) == events


def test_each_address_of_the_user_is_a_milestone() -> None:
    own = Milestone(on=("done",), run="true")
    settings = UserSettings(milestones=(own,), notify=Notify(to=("json://a", "json://b")))

    milestones = list_user_milestones(settings)

    assert [milestone.notify for milestone in milestones] == ["", "json://a", "json://b"]
    assert milestones[1].on == ("done", "pause", "budget", "gate", "approval")


@pytest.mark.parametrize(
    ("hours", "now", "expected"),
    [
        ("22:00-07:00", time(23, 30), True),
        ("22:00-07:00", time(6, 59), True),
        ("22:00-07:00", time(7, 0), False),
        ("22:00-07:00", time(12, 0), False),
        ("12:00 - 13:30", time(13, 29), True),
        ("12:00 - 13:30", time(13, 30), False),
        ("", time(0, 0), False),
    ],
)
def test_quiet_hours(hours: str, now: time, expected: bool) -> None:
    assert is_quiet(hours, now) is expected
