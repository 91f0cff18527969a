"""A loop's status in rows: what is needed from the user, progress since the baseline, bounds."""

import pytest
from msgspec.structs import replace

from core.samples import GREEN, RED
from untildone.core.check_results import Totals
from untildone.core.progress import Round
from untildone.core.verdict import Continue, Finish, Pause, Verdict
from untildone.report.columns import fit_columns, measure_columns
from untildone.report.last_round import describe_last_round
from untildone.report.status import LastVerdict, LoopStatus, RunningStatus
from untildone.report.status_text import Row, describe_age, describe_head, list_rows

STARTED, NOW = "2026-05-04T12:00:00+00:00", "2026-05-04T12:30:00+00:00"
LOOP = LoopStatus(
    id="1f2e",
    agent="claude",
    session="s1",
    project="/work/shop",
    task="port it",
    status="active",
    outcome=None,
    round=3,
    max_rounds=10,
    unmet=(),
    held=True,
    last_event_at=None,
    spend_usd=None,
    started_at=STARTED,
    updated_at=STARTED,
)


def rows(**fields: object) -> dict[str, Row]:
    loop = replace(LOOP, **fields)
    return {row.label: row for row in list_rows(loop, now=NOW)}


@pytest.mark.parametrize(
    ("fields", "head"),
    [
        ({}, "active, round 3 of 10, held"),
        ({"held": False}, "active, round 3 of 10, not held"),
        ({"held": "unknown", "max_rounds": 0}, "active, round 3, no bound, held unknown"),
        (
            {"status": "paused", "outcome": "stagnated", "held": False},
            "paused (stagnated), round 3 of 10",
        ),
    ],
)
def test_the_head(fields: dict[str, object], head: str) -> None:
    assert describe_head(replace(LOOP, **fields)) == head


def test_a_loop_that_needs_nobody_says_so_last() -> None:
    assert [row.text for row in list_rows(LOOP, now=NOW)] == [
        "unknown USD",
        "claude, session s1",
        "nothing is needed from you",
    ]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"held": False, "needs_you": "the session has ended"}, "not held: the session has ended"),
        (
            {"status": "paused", "outcome": "blocked", "needs_you": "`untildone continue 1f2e`"},
            "to continue: `untildone continue 1f2e`",
        ),
        ({"questions": ("Intended?", "  a.py", "  -x")}, "Intended?"),
    ],
)
def test_what_is_needed_comes_first(fields: dict[str, object], text: str) -> None:
    first = next(list_rows(replace(LOOP, **fields), now=NOW))

    assert (first.label, first.tone) == ("you", "ask")
    assert first.text.startswith(text)


def test_a_hold_that_is_unknown_needs_nobody() -> None:
    found = rows(held="unknown", not_held_because="no process is known")

    assert found["held"].text == "unknown: no process is known"
    assert found["you"].text == "nothing is needed from you"


def test_tests_and_findings_are_shown_beside_the_baseline() -> None:
    before = Totals(errors=12, passed=9, failed=9)
    after = Totals(errors=2, warnings=1, passed=15, failed=5)

    found = rows(baseline_totals=before, totals=after)

    assert found["tests"] == Row(
        label="tests", text="15 of 20 pass, 9 of 18 in the baseline", share=0.75, tone="good"
    )
    assert found["findings"] == Row(
        label="findings",
        text="2 errors, 1 warning, 12 errors in the baseline",
        share=0.75,
        tone="good",
    )


@pytest.mark.parametrize(
    ("before", "after", "text", "share"),
    [
        (Totals(errors=2), Totals(), "none left, 2 errors in the baseline", 1.0),
        (Totals(errors=2), Totals(errors=3), "3 errors, 2 errors in the baseline", 0.0),
        (Totals(), Totals(errors=3), "3 errors, none in the baseline", None),
        (None, Totals(errors=3), "3 errors", None),
    ],
)
def test_findings(before: Totals | None, after: Totals, text: str, share: float | None) -> None:
    row = rows(baseline_totals=before, totals=after)["findings"]

    assert (row.text, row.share) == (text, share)


def test_a_run_that_lost_its_tests_shows_an_empty_bar() -> None:
    row = rows(baseline_totals=Totals(passed=3), totals=Totals())["tests"]

    assert (row.text, row.share) == ("0 of 0 pass, 3 of 3 in the baseline", 0.0)


def test_nothing_counted_is_not_shown() -> None:
    assert not {"tests", "findings"} & set(rows(totals=Totals()))


def test_bounds_have_bars_that_warn_near_their_end() -> None:
    found = rows(spend_usd=30.0, budget_usd=25.0, minutes=30.0, max_minutes=60.0)

    assert found["spend"] == Row(label="spend", text="30.00 of 25 USD", share=1.0, tone="warn")
    assert found["time"] == Row(label="time", text="30 of 60 minutes", share=0.5)


def test_an_unknown_spend_has_a_reason_while_the_loop_runs() -> None:
    unknown = {"budget_usd": 25.0, "spend_unknown_because": "no price is known"}

    assert rows(**unknown)["spend"].text == "unknown of 25 USD (no price is known)"
    ended = rows(**unknown, status="finished", outcome="done")
    assert ended["spend"] == Row(label="spend", text="unknown of 25 USD")


def test_a_running_check_and_ignored_configuration_have_rows() -> None:
    running = RunningStatus(check="test", phase="check", seconds=12)
    found = rows(running=running, ignored_configuration="not trusted", unmet=("test", "lint"))

    assert (found["running"].text, found["note"].text, found["unmet"].text) == (
        "checking test 12 s",
        "not trusted",
        "test, lint",
    )


def test_a_reason_that_the_last_round_gave_is_said_once() -> None:
    last = LastVerdict(round=3, at=STARTED, verdict="done", reason="every check passes")
    ended = {"status": "finished", "outcome": "done", "last_verdict": last}

    by_round = rows(**ended, reason="every check passes")
    by_user = rows(**ended, reason="approved")

    assert by_round["last"].text == "round 3, 30 min ago: done, every check passes"
    assert ("why" in by_round, by_user["why"].text) == (False, "approved")


@pytest.mark.parametrize(
    ("at", "text"),
    [
        ("2026-05-04T12:29:30+00:00", "just now"),
        ("2026-05-04T12:20:00+00:00", "10 min ago"),
        ("2026-05-03T12:30:00+00:00", "24 h ago"),
        ("2026-04-04T12:30:00+00:00", "30 d ago"),
    ],
)
def test_ages(at: str, text: str) -> None:
    assert describe_age(at, now=NOW) == text


@pytest.mark.parametrize(
    ("verdict", "checks", "expected"),
    [
        (Continue(cause="unmet", names=("test",)), (GREEN, RED), ("held", "test red")),
        (Continue(cause="losses", names=("config:a#1f",)), (GREEN,), ("held", "config:a")),
        (Continue(cause="signal"), (GREEN,), ("held", "not reported as done")),
        (Finish(outcome="done", reason="every check\npasses"), (), ("done", "every check passes")),
        (Pause(outcome="gate", reason="Go?"), (), ("paused (gate)", "Go?")),
    ],
)
def test_the_last_round(
    verdict: Verdict, checks: tuple[object, ...], expected: tuple[str, str]
) -> None:
    last = describe_last_round(Round(number=2, at=STARTED, verdict=verdict, checks=checks))  # type: ignore[arg-type]  # results

    assert (last.verdict, last.reason) == expected


@pytest.mark.parametrize(
    ("text", "limit", "fitted"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abcd …"),
        ("漢字漢字", 8, "漢字漢字"),
        ("漢字漢字", 7, "漢字 …"),
        ("e\u0301" * 4, 4, "e\u0301" * 4),
        ("abc", 2, ""),
    ],
)
def test_a_text_is_cut_to_columns(text: str, limit: int, fitted: str) -> None:
    assert fit_columns(text, limit) == fitted
    assert measure_columns(fitted) <= limit
