"""Sleeping accounts, deadlines, retries and dead letters, with two workers."""

import pytest
import sqlalchemy as sa

from runs.queue.fleet import DONE, Fleet, make_checkpoint, must_take, run_at_once, take
from untildone.errors import UserError
from untildone.runs.queue.accounts import list_asleep
from untildone.runs.queue.database_time import read_time
from untildone.runs.queue.lease import Lease
from untildone.runs.queue.tables import TASKS
from untildone.runs.queue.values import Course

FAULT = Course(outcome="blocked", reason="fetch: `git fetch` failed", fault="transfer")
LIMITED = Course(outcome="paused", reason="usage limit: reached", fault="limit", limit_seconds=900)


def measure_sleep(fleet: Fleet) -> list[int]:
    with fleet.engine.connect() as connection:
        now_ms = read_time(connection)
        return [
            (until - now_ms + 500) // 1_000 for until in list_asleep(connection, now_ms).values()
        ]


def test_at_a_usage_limit_the_account_sleeps_and_not_the_queue(any_fleet: Fleet) -> None:
    name = any_fleet.add(retries=0)
    any_fleet.add_many(1)
    one, two = any_fleet.pair()
    other = any_fleet.worker("three", account="else")
    task = must_take(one)
    one.record(task, "round 1", checkpoint=make_checkpoint(0.5))

    assert one.finish(task, LIMITED) == "queued"
    assert [take(one), take(two)] == [None, None]
    assert two.is_asleep()
    assert not two.has_open_task(lambda _: True)
    assert two.has_open_task(lambda _: True, even_asleep=True)
    assert any_fleet.task(name).waits == ""
    (account,) = any_fleet.queue.list_accounts()
    assert (account.name, account.reason) == ("claude:team", "usage limit: reached")
    again = must_take(other)
    assert (again.id, again.attempt) == (name, 2)
    # With what is left of its bounds: it did not fail.
    assert other.find_checkpoint(again) == (make_checkpoint(0.5), True)
    assert any_fleet.task(name).faults == 0
    any_fleet.pass_time(901)
    assert must_take(two)
    assert any_fleet.queue.list_accounts() == ()


def test_a_limit_without_a_known_end_is_tried_more_and_more_rarely(any_fleet: Fleet) -> None:
    any_fleet.add()
    one, two = any_fleet.pair()
    unknown = Course(outcome="paused", fault="limit")
    sleeps = []
    for worker in (one, two, one):
        worker.finish(must_take(worker), unknown)
        sleeps += measure_sleep(any_fleet)
        any_fleet.pass_time(sleeps[-1] + 1)

    assert sleeps == [60, 120, 240]


def test_two_tasks_meet_the_same_limit_and_the_later_end_counts(any_fleet: Fleet) -> None:
    any_fleet.add_many(2)
    one, two = any_fleet.pair()
    first, second = must_take(one), must_take(two)
    one.finish(first, LIMITED)
    two.finish(second, Course(outcome="paused", fault="limit"))

    assert measure_sleep(any_fleet) == [900]
    assert any_fleet.task(first.id).waits.startswith("claude:team sleeps until 20")


def test_a_queued_task_ends_at_its_deadline(any_fleet: Fleet) -> None:
    late = any_fleet.add(deadline="4h", priority=1)
    any_fleet.add(after=(late,), deadline="2d")
    one, two = any_fleet.pair()
    any_fleet.pass_time(4 * 3_600)
    assert any_fleet.task(late).waits == "its deadline has passed, the next worker ends it"

    assert [take(one), take(two)] == [None, None]
    task = any_fleet.task(late)
    assert (task.state, task.outcome, task.is_dead) == ("ended", "out-of-time", False)
    assert task.reason.startswith("its deadline 20")
    assert [step.name for step in any_fleet.queue.show(late).steps] == ["ended"]
    any_fleet.queue.retry(late)
    assert must_take(two).deadline_ms == 0


def test_a_running_task_is_overdue_by_the_clock_of_the_database(any_fleet: Fleet) -> None:
    any_fleet.add_many(1)
    any_fleet.add(deadline="4h")
    worker = any_fleet.worker("w")
    free, bound = must_take(worker), must_take(worker)

    assert worker.list_overdue([free]) == worker.list_overdue([free, bound]) == ()
    any_fleet.pass_time(4 * 3_600)
    worker.end()
    other = any_fleet.worker("other")
    again = [must_take(other) for _ in range(2)]
    assert other.list_overdue(again) == (bound.id,)


def test_a_deadline_in_the_past_is_refused(any_fleet: Fleet) -> None:
    with pytest.raises(UserError, match="the deadline `2020-01-01` is past"):
        any_fleet.add(deadline="2020-01-01")


def test_a_fault_is_retried_with_back_off_until_the_dead_letters(any_fleet: Fleet) -> None:
    name = any_fleet.add(retries=2)
    workers = any_fleet.pair()
    for faults, minutes in ((1, 1), (2, 4)):
        worker = workers[faults % 2]
        assert worker.finish(must_take(worker), FAULT) == "queued"
        task = any_fleet.task(name)
        assert (task.state, task.faults, task.reason) == ("queued", faults, FAULT.reason)
        assert task.waits.startswith(f"retry {faults} of 2 at 20")
        any_fleet.pass_time(round(minutes * 60 * 0.75))
        assert [take(one) for one in workers] == [None, None]
        any_fleet.pass_time(round(minutes * 60 * 0.5))
    assert workers[0].finish(must_take(workers[0]), FAULT) == "ended"

    (dead,) = any_fleet.queue.list_dead()
    assert (dead.id, dead.outcome, dead.attempt) == (name, "blocked", 3)
    assert [failure.attempt for failure in dead.failures] == [1, 2, 3]
    assert {failure.reason for failure in dead.failures} == {FAULT.reason}
    assert any_fleet.queue.retry_dead().changed == (name,)
    assert any_fleet.queue.retry_dead().changed == ()
    assert must_take(workers[1]).since_attempt == 4
    assert any_fleet.task(name).faults == 0


@pytest.mark.parametrize("outcome", ["out-of-rounds", "unverified", "blocked", "stagnated"])
def test_what_ended_by_judgement_is_not_retried(any_fleet: Fleet, outcome: str) -> None:
    name = any_fleet.add()
    worker = any_fleet.worker("w")

    course = Course(outcome=outcome, reason="so")  # type: ignore[arg-type]  # test data
    assert worker.finish(must_take(worker), course) == "ended"
    assert (any_fleet.task(name).is_dead, any_fleet.queue.list_dead()) == (False, ())


def test_a_cancelled_task_is_not_retried(any_fleet: Fleet) -> None:
    name = any_fleet.add()
    worker = any_fleet.worker("w")
    task = must_take(worker)
    any_fleet.queue.cancel(name)

    assert worker.finish(task, FAULT) == "cancelled"
    assert any_fleet.task(name).outcome == "cancelled"


def test_a_task_that_kills_its_workers_does_not_get_all_of_them(any_fleet: Fleet) -> None:
    name = any_fleet.add(retries=1)
    other = any_fleet.add()
    for number in range(2):
        worker = any_fleet.worker(f"w{number}")
        assert must_take(worker).id == name
        any_fleet.die(worker)
    # The second death uses the retry, and the next worker does something else meanwhile.
    patient = any_fleet.worker("patient")
    assert must_take(patient).id == other
    assert any_fleet.task(name).waits.startswith("retry 1 of 1")
    any_fleet.pass_time(120)
    third = any_fleet.worker("w3")
    again = must_take(third)
    assert (again.id, again.attempt, again.is_taken_over) == (name, 1, True)
    any_fleet.die(third)

    assert take(patient) is None
    (dead,) = any_fleet.queue.list_dead()
    assert dead.reason == "3 workers died while they had it, without a round in between"
    assert [failure.worker for failure in dead.failures] == ["w1", "w3"]


def test_a_task_that_gets_on_may_lose_many_workers(any_fleet: Fleet) -> None:
    name = any_fleet.add(retries=0)
    for rounds in range(1, 5):
        worker = any_fleet.worker(f"w{rounds}")
        task = must_take(worker)
        worker.record(task, f"round {rounds}", checkpoint=make_checkpoint(0.1, rounds))
        any_fleet.die(worker)

    assert must_take(any_fleet.worker("last")).id == name


def test_a_queue_from_before_the_limits_keeps_its_order(any_fleet: Fleet) -> None:
    first = any_fleet.add()
    any_fleet.add(after=(first,), priority=1)
    with any_fleet.engine.begin() as connection:
        connection.execute(sa.update(TASKS).values(waits="", since_attempt=0))
    one, two = any_fleet.pair()

    # What comes too early is put aside first.
    assert take(one) is None
    taken = must_take(one)
    assert taken.id == first
    assert take(two) is None
    one.finish(taken, DONE)
    assert must_take(two)


def test_a_task_is_free_when_two_others_end_at_once(any_fleet: Fleet) -> None:
    needed = any_fleet.add_many(2)
    last = any_fleet.add(after=needed)
    workers = any_fleet.pair()
    taken = [(worker, must_take(worker)) for worker in workers]
    assert take(workers[0]) is None

    def end(worker: Lease, number: int) -> None:
        worker.finish(taken[number][1], DONE)

    run_at_once([lambda: end(workers[0], 0), lambda: end(workers[1], 1)])
    assert must_take(workers[0]).id == last
