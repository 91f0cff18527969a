"""The decisions behind limits, fair share, retries and deadlines, with values alone."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from untildone.errors import UserError
from untildone.runs.queue.deadline_times import format_moment, parse_deadline
from untildone.runs.queue.limit_rules import (
    Limit,
    Used,
    Wish,
    can_ever_fit,
    explain_hold,
    get_first_minute,
    parse_budget,
    parse_rate,
)
from untildone.runs.queue.retry_rules import (
    CURABLE,
    Again,
    Over,
    compute_delay,
    compute_sleep,
    is_curable_transfer,
    plan_after_death,
    plan_retry,
)
from untildone.runs.queue.selection import Candidate, order_candidates

WISH = Wish(repository="/r", account="claude:a")
COUNTS = st.integers(0, 20)


@given(st.integers(1, 50), st.lists(COUNTS, max_size=30))
def test_a_budget_is_never_reserved_twice(budget: int, reserves: list[int]) -> None:
    limit, used = Limit(kind="queue", budget_micro=budget), Used()
    for reserve in reserves:
        wish = replace(WISH, reserve_micro=reserve)
        if not explain_hold([(limit, used)], wish):
            used = replace(used, reserved_micro=used.reserved_micro + reserve)
        else:
            assert used.reserved_micro + reserve > budget or used.reserved_micro == budget
    assert used.reserved_micro <= budget


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_a_task_is_held_exactly_when_a_limit_is_used_up(
    parallel: int, running: int, rate: int, started: int
) -> None:
    limit = Limit(kind="repository", name="/r", parallel=parallel, rate=rate)
    used = Used(running=running, started=started)
    is_full = (parallel and running >= parallel) or (rate and started >= rate)

    assert bool(explain_hold([(limit, used)], WISH)) == bool(is_full)
    assert explain_hold([(replace(limit, name="/other"), used)], WISH) == ""
    assert can_ever_fit([(limit, used)], WISH)


def test_what_another_worker_began_is_not_started_again() -> None:
    full = (Limit(kind="account", name="claude:a", rate=1), Used(started=1))

    assert explain_hold([full], WISH) == ("rate of claude:a used up, 1 of 1 tasks in the last hour")
    assert explain_hold([full], replace(WISH, is_start=False)) == ""


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 1)), max_size=40))
def test_no_repository_gets_two_more_than_another_that_waits(tasks: list[tuple[str, int]]) -> None:
    queued = [make_candidate(number, *task) for number, task in enumerate(tasks)]
    running: dict[str, int] = {}
    served: dict[str, int] = {}
    for turn in range(len(queued)):
        chosen = order_candidates(queued, running=running, served=served)[0]
        rivals = [one for one in queued if one.priority == chosen.priority]
        assert chosen.priority == max(one.priority for one in queued)
        least = min(running.get(one.repository, 0) for one in rivals)
        assert running.get(chosen.repository, 0) == least
        assert chosen.number == min(
            one.number for one in rivals if one.repository == chosen.repository
        )
        queued.remove(chosen)
        running[chosen.repository] = running.get(chosen.repository, 0) + 1
        served[chosen.repository] = turn + 1


def make_candidate(number: int, repository: str, priority: int) -> Candidate:
    zeros = dict.fromkeys(
        ("token", "attempt", "budget_micro", "spent_micro", "deaths", "faults", "retries"), 0
    )
    return Candidate(
        number=number,
        id=str(number),
        route="",
        repository=repository,
        priority=priority,
        state="queued",
        worker="",
        **zeros,
    )


@given(st.integers(0, 10_000), st.floats(0, 1))
def test_delays_grow_to_an_hour_with_a_little_jitter(faults: int, chance: float) -> None:
    nominal = min(60 * 4 ** min(faults, 20), 3_600)
    assert 0.799 * nominal <= compute_delay(faults, chance) <= 1.201 * nominal


@given(st.sampled_from(sorted(CURABLE)), st.integers(0, 5), st.integers(0, 5))
def test_retries_end(fault: str, faults: int, retries: int) -> None:
    plan = plan_retry(fault, faults=faults, retries=retries, chance=0.5)
    assert isinstance(plan, Over) == (faults >= retries)
    assert plan == Over(is_dead=True) or plan == Again(
        seconds=compute_delay(faults, 0.5), is_counted=True
    )


@pytest.mark.parametrize("fault", ["", "authentication", "billing", "refused", "denied", "missing"])
def test_what_another_try_does_not_cure_ends(fault: str) -> None:
    assert plan_retry(fault, faults=0, retries=9, chance=0) == Over(is_dead=False)


def test_one_death_is_an_accident() -> None:
    free = Again(seconds=0, is_counted=False)
    assert plan_after_death(deaths=1, faults=0, retries=0, chance=0) == free
    assert plan_after_death(deaths=2, faults=0, retries=0, chance=0) == Over(is_dead=True)
    assert plan_retry("limit", faults=9, retries=0, chance=0) == free


@pytest.mark.parametrize(
    ("seconds", "last", "is_recent", "sleep"),
    [
        (900, 60, True, 900),
        (0, 0, False, 60),
        (0, 60, True, 120),
        (0, 60, False, 60),
        (0, 1_700, True, 1_800),
        (-5, 0, True, 60),
        (1e9, 0, True, 60),
    ],
)
def test_sleeps(seconds: float, last: float, is_recent: bool, sleep: float) -> None:
    assert compute_sleep(seconds, last=last, is_recent=is_recent) == sleep


@pytest.mark.parametrize(
    ("complaint", "is_curable"),
    [
        ("fatal: couldn't find remote ref x", False),
        ("! [remote rejected] main (pre-receive hook declined)", False),
        ("fatal: transport 'ext' not allowed", False),
        ("fatal: unable to access 'https://h/': Could not resolve host: h", True),
        ("fetch-pack: unexpected disconnect while reading sideband packet", True),
        ("no reason given", True),
    ],
)
def test_complaints_of_git(complaint: str, *, is_curable: bool) -> None:
    assert is_curable_transfer(complaint) == is_curable


@pytest.mark.parametrize(
    ("text", "budget"),
    [("5", (5_000_000, "")), ("4.80/day", (4_800_000, "day")), (" 0.5/hour ", (500_000, "hour"))],
)
def test_budgets(text: str, budget: tuple[int, str]) -> None:
    assert parse_budget(text) == budget


@pytest.mark.parametrize("text", ["", "0", "-1", "5/week", "five", "1e9", "5/day/day", "9" * 40])
def test_what_is_no_budget(text: str) -> None:
    with pytest.raises(UserError, match="is no budget"):
        parse_budget(text)
    with pytest.raises(UserError, match="is no rate"):
        parse_rate(text)


def test_periods_begin_in_utc() -> None:
    minute = 29_000_000
    assert get_first_minute("day", minute) % 1_440 == 0
    assert minute - get_first_minute("hour", minute) < 60
    assert get_first_minute("", minute) == 0
    assert parse_rate("10/hour") == 10


@pytest.mark.parametrize(
    ("text", "seconds"), [("4h", 14_400), ("2d", 172_800), ("1d12h30m", 131_400), ("90s", 90)]
)
def test_deadlines_from_now(text: str, seconds: int) -> None:
    assert parse_deadline(text, 5_000) == 5_000 + 1_000 * seconds


def test_a_deadline_may_be_a_time() -> None:
    moment = datetime(2026, 5, 4, 18, tzinfo=UTC)
    milliseconds = parse_deadline("2026-05-04T18:00Z", 0)

    assert milliseconds == 1_000 * moment.timestamp()
    assert format_moment(milliseconds) == "2026-05-04T18:00:00+00:00"
    local = datetime(2026, 5, 4).astimezone()
    assert parse_deadline("2026-05-04", 0) == 1_000 * local.timestamp()


@pytest.mark.parametrize("text", ["", "soon", "4", "-4h", "9999-12-31", "\x1b[2J", "4 h"])
def test_what_is_no_deadline(text: str) -> None:
    with pytest.raises(UserError, match="is no deadline"):
        parse_deadline(text, 0)
