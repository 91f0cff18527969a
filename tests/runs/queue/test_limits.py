"""Limits that two workers try to exceed, on SQLite and on Postgres."""

import pytest

from runs.queue.fleet import DONE, Fleet, make_checkpoint, must_take, take
from untildone.errors import UserError
from untildone.runs.queue.values import Course

HOUR, DAY = 3_600, 86_400
SCOPES = (
    {"kind": "queue"},
    {"kind": "repository", "name": "/r"},
    {"kind": "account", "name": "claude:team"},
)


@pytest.mark.parametrize("scope", SCOPES, ids=lambda scope: scope["kind"])
def test_two_workers_at_once_do_not_run_more_than_a_limit(
    any_fleet: Fleet, scope: dict[str, str]
) -> None:
    any_fleet.add_routes(6)
    any_fleet.limit(**scope, parallel=3)

    assert len(any_fleet.take_at_once(any_fleet.pair(), tries=3)) == 3
    (limit,) = any_fleet.limits.list_limits()
    assert (limit.running, limit.started) == (3, 3)


@pytest.mark.parametrize("scope", SCOPES, ids=lambda scope: scope["kind"])
def test_two_workers_at_once_do_not_reserve_more_than_a_budget(
    any_fleet: Fleet, scope: dict[str, str]
) -> None:
    any_fleet.add_routes(6, budget=2)
    any_fleet.limit(**scope, budget_micro=7_000_000, period="day")

    assert len(any_fleet.take_at_once(any_fleet.pair(), tries=3)) == 3


def test_a_rate_holds_two_workers_until_the_hour_is_over(any_fleet: Fleet) -> None:
    any_fleet.add_routes(10)
    any_fleet.limit(kind="repository", name="/r", rate=3)
    workers = any_fleet.pair()

    assert len(any_fleet.take_at_once(workers, tries=3)) == 3
    waits = {task.waits for task in any_fleet.queue.list_tasks(("queued",))}
    assert waits == {"rate of /r used up, 3 of 3 tasks in the last hour"}
    any_fleet.pass_time(HOUR)
    assert any_fleet.take_at_once(workers, tries=1) == []
    any_fleet.pass_time(60)
    assert len(any_fleet.take_at_once(workers, tries=3)) == 3


def test_what_a_task_did_not_spend_is_free_again(any_fleet: Fleet) -> None:
    any_fleet.add(budget=3)
    second = any_fleet.add(budget=3)
    any_fleet.limit(kind="queue", budget_micro=5_000_000, period="day")
    one, two = any_fleet.pair()
    task = must_take(one)
    assert take(two) is None
    assert any_fleet.task(second).waits == (
        "budget of the queue used up or reserved by running tasks, 3.00 of 5.00 USD today,"
        " and the task may need 3.00"
    )
    one.record(task, "round 1", checkpoint=make_checkpoint(0.5))
    one.finish(task, Course(outcome="done", branch="b", spend_usd=1.25))

    assert must_take(two).id == second
    (limit,) = any_fleet.limits.list_limits()
    assert (limit.spent_usd, limit.reserved_usd) == (1.25, 3.0)


def test_a_repository_waits_for_the_next_day_and_others_go_on(any_fleet: Fleet) -> None:
    first, second = any_fleet.add_many(2)
    any_fleet.limit(kind="repository", name="/r", budget_micro=5_000_000, period="day")
    one, two = any_fleet.pair()
    task = must_take(one)
    for rounds, spent in enumerate((2.3, 4.8, 5.0), 1):
        one.record(task, f"round {rounds}", checkpoint=make_checkpoint(spent, rounds))

    assert take(two) is None
    assert any_fleet.task(second).waits == "budget of /r used up, 5.00 of 5.00 USD today"
    assert any_fleet.task(first).waits == ""
    elsewhere = any_fleet.add("/other")
    assert must_take(two).id == elsewhere
    any_fleet.pass_time(DAY)
    assert must_take(two).id == second


def test_an_account_at_its_budget_leaves_the_task_to_another(any_fleet: Fleet) -> None:
    any_fleet.add_many(2)
    any_fleet.limit(kind="account", name="claude:team", budget_micro=1_000_000, period="hour")
    one, two = any_fleet.pair()
    one.finish(must_take(one), Course(outcome="done", branch="b", spend_usd=1.0))

    assert take(two) is None
    (waiting,) = any_fleet.queue.list_tasks(("queued",))
    assert waiting.waits == "budget of claude:team used up, 1.00 of 1.00 USD this hour"
    other = any_fleet.worker("three", account="else")
    assert any_fleet.task(waiting.id).waits == ""
    assert must_take(other)


def test_a_budget_without_a_period_counts_from_when_it_was_set(any_fleet: Fleet) -> None:
    any_fleet.add_many(4)
    one, two = any_fleet.pair()
    one.finish(must_take(one), Course(outcome="done", branch="b", spend_usd=9.0))
    any_fleet.limit(kind="queue", budget_micro=2_000_000)
    one.finish(must_take(one), Course(outcome="done", branch="b", spend_usd=2.0))
    any_fleet.pass_time(3 * DAY)
    any_fleet.limit(kind="queue", parallel=7)

    assert take(two) is None
    (limit,) = any_fleet.limits.list_limits()
    assert (limit.budget_usd, limit.spent_usd, limit.parallel) == (2.0, 2.0, 7)
    any_fleet.limit(kind="queue", budget_micro=1_000_000, period="hour")
    assert must_take(two)
    any_fleet.limits.remove_limit("queue", "")
    assert any_fleet.limits.list_limits() == ()
    with pytest.raises(UserError, match="there is no limit of the queue"):
        any_fleet.limits.remove_limit("queue", "")


def test_a_task_that_fits_no_limit_stops_no_other(any_fleet: Fleet) -> None:
    big, small = any_fleet.add(budget=9), any_fleet.add(budget=1)
    any_fleet.limit(kind="repository", name="/r", budget_micro=5_000_000, period="day")
    one, two = any_fleet.pair()

    assert [task.id for task in map(take, (one, two, one)) if task] == [small]
    assert any_fleet.task(big).waits == (
        "budget of /r is 5.00 USD, less than the 9.00 USD of the task"
    )
    any_fleet.limit(kind="repository", name="/r", budget_micro=20_000_000, period="day")
    assert must_take(two).id == big


def test_a_dead_workers_task_is_taken_over_within_the_limit(any_fleet: Fleet) -> None:
    any_fleet.add_many(3)
    one, two = any_fleet.pair()
    left = {must_take(one).id for _ in range(2)}
    any_fleet.limit(kind="queue", parallel=1, rate=2)
    any_fleet.die(one)

    taken = must_take(two)
    assert taken.id in left
    assert take(two) is None
    two.finish(taken, DONE)
    assert {taken.id, must_take(two).id} == left


def test_repositories_share_the_workers_fairly(any_fleet: Fleet) -> None:
    any_fleet.add_many(200, "/a")
    any_fleet.add_many(3, "/b")
    any_fleet.add_many(1, "/c")
    workers = any_fleet.pair()

    running = [must_take(workers[turn % 2]) for turn in range(6)]
    # Each has one, then each that has more two.
    assert [task.repository for task in running] == ["/a", "/b", "/c", "/a", "/b", "/a"]
    for task, turn in zip(running, range(6), strict=True):
        workers[turn % 2].finish(task, DONE)
    # Nothing runs: whoever was served longest ago.
    assert [must_take(workers[0]).repository for _ in range(3)] == ["/b", "/a", "/a"]


def test_a_higher_priority_comes_before_the_fair_share(any_fleet: Fleet) -> None:
    urgent = [any_fleet.add("/a", priority=1) for _ in range(2)]
    any_fleet.add("/b")
    workers = any_fleet.pair()

    assert [must_take(worker).id for worker in workers] == urgent
