"""Who may merge into a branch, and what becomes of the tasks that wait for it."""

from pathlib import Path

import pytest

from runs.queue.fleet import NOW, Fleet, must_take, take
from untildone.runs.queue import merge_changes
from untildone.runs.queue.lease import Lease, LostLease
from untildone.runs.queue.merge_lease import MergeChange, MergeLease, MergeTurn, WaitingTask
from untildone.runs.queue.values import Checkpoint, Course
from untildone.runs.tasks.batch import Candidate
from untildone.runs.tasks.merging import Merge, SentBack

PUSHED = Course(outcome="done", branch="b", commit="c", base="base", rounds=1, receipt_commit="r")
CANDIDATE = Candidate(task="", title="", commit="c", base="base")
BACK = SentBack(
    candidate=CANDIDATE, reason="it conflicts", onto="tip", tree="tree", conflicts=("f",)
)
CHECKPOINT = Checkpoint(ref="ref", commit="merged", rounds=1, spend_usd=None, note="")


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return Fleet(f"sqlite:///{tmp_path}/queue.sqlite")


def can_merge(_route: str) -> bool:
    return True


class Merger:
    """A worker that merges."""

    def __init__(self, fleet: Fleet, lease: Lease) -> None:
        self.merges = MergeLease(fleet.engine, lease, lambda: NOW)

    def take(self) -> MergeTurn:
        turn = self.merges.take(can_merge)
        assert turn
        return turn

    def find(self, turn: MergeTurn) -> WaitingTask:
        (task,) = self.merges.list_waiting(turn, can_merge)
        return task

    def record(self, turn: MergeTurn, change: MergeChange) -> None:
        assert self.merges.record(turn, [change]) == (change,)


def finish_one(fleet: Fleet, lease: Lease, course: Course = PUSHED, **more: object) -> str:
    name = fleet.add(into="main", **more)  # type: ignore[arg-type]  # test data
    assert lease.finish(must_take(lease), course) == "merging"
    return name


def test_a_pushed_task_waits_for_its_merge_and_so_do_those_after_it(fleet: Fleet) -> None:
    lease = fleet.worker("w")
    first = finish_one(fleet, lease)
    second = fleet.add(after=(first,))
    assert (fleet.task(first).state, fleet.task(first).outcome) == ("merging", None)
    assert take(lease) is None
    merger = Merger(fleet, lease)
    turn = merger.take()

    done = merge_changes.mark_merged(merger.find(turn), Merge(candidate=CANDIDATE, commit="m"))
    merger.record(turn, done)

    shown = fleet.task(first)
    assert (shown.state, shown.outcome, shown.merge) == ("done", "done", "m")
    assert list(merger.merges.list_merged(turn)) == [first]
    assert merger.merges.record(turn, [done]) == ()
    assert must_take(lease).id == second


def test_one_worker_at_a_time_merges_into_a_branch(fleet: Fleet) -> None:
    one, two = fleet.pair()
    finish_one(fleet, one)
    first, second = Merger(fleet, one), Merger(fleet, two)
    turn = first.take()
    assert second.merges.take(can_merge) is None
    assert second.merges.has_waiting(can_merge)

    first.merges.release(turn)
    assert second.take().token == turn.token + 1
    with pytest.raises(LostLease):
        first.merges.require(turn)


def test_a_dead_worker_cannot_record_its_merges_any_more(fleet: Fleet) -> None:
    one, two = fleet.pair()
    name = finish_one(fleet, one)
    late, other = Merger(fleet, one), Merger(fleet, two)
    turn = late.take()
    late.merges.require(turn)
    task = late.find(turn)
    fleet.die(one)

    for action in (
        lambda: late.merges.require(turn),
        lambda: late.merges.record(turn, [merge_changes.end(task, "blocked", "x")]),
    ):
        with pytest.raises(LostLease):
            action()
    assert other.take().token == 2
    assert fleet.task(name).state == "merging"
    assert one.is_lost.is_set()


def test_only_a_worker_that_may_do_the_repository_merges(fleet: Fleet) -> None:
    lease = fleet.worker("w")
    finish_one(fleet, lease, labels=("gpu",))
    merges = MergeLease(fleet.engine, lease, lambda: NOW)

    assert merges.take(lambda route: route != "\tgpu\t/r") is None
    fleet.queue.set_paused(paused=True)
    assert merges.take(can_merge) is None


def test_a_task_that_is_sent_back_goes_on_with_the_evidence(fleet: Fleet) -> None:
    lease = fleet.worker("w")
    name = finish_one(fleet, lease)
    merger = Merger(fleet, lease)
    turn = merger.take()

    back = merge_changes.send_back(merger.find(turn), BACK, checkpoint=CHECKPOINT, others=())
    merger.record(turn, back)

    task = must_take(lease)
    assert (task.id, task.attempt, task.is_taken_over) == (name, 2, False)
    assert task.evidence
    assert (task.evidence.reason, task.evidence.onto) == ("it conflicts", "tip")
    assert (task.evidence.branch_commit, task.evidence.receipt_commit) == ("c", "r")
    assert lease.find_checkpoint(task) == (CHECKPOINT, True)


@pytest.mark.parametrize(
    ("course", "outcome"),
    [
        (Course(outcome="done", branch="b", rounds=10), "out-of-rounds"),
        (Course(outcome="done", branch="b", rounds=1, spend_usd=25), "out-of-budget"),
    ],
)
def test_a_task_whose_bounds_are_used_up_ends_and_is_worked_on_again_by_a_retry(
    fleet: Fleet, course: Course, outcome: str
) -> None:
    lease = fleet.worker("w")
    name = finish_one(fleet, lease, course)
    merger = Merger(fleet, lease)
    turn = merger.take()
    back = merge_changes.send_back(merger.find(turn), BACK, checkpoint=CHECKPOINT, others=())
    merger.record(turn, back)

    assert (fleet.task(name).state, fleet.task(name).outcome) == ("ended", outcome)
    assert fleet.queue.retry(name).note == "queued again"
    task = must_take(lease)
    assert task.evidence
    assert lease.find_checkpoint(task) == (CHECKPOINT, False)


def test_a_hindered_task_is_merged_again_by_a_retry(fleet: Fleet) -> None:
    lease = fleet.worker("w")
    name = finish_one(fleet, lease)
    merger = Merger(fleet, lease)
    turn = merger.take()
    merger.record(turn, merge_changes.end(merger.find(turn), "blocked", "main is \x1b[31mclosed"))

    shown = fleet.task(name)
    assert (shown.state, shown.reason, shown.branch) == ("ended", "main is closed", "b")
    assert fleet.queue.retry(name).note == "its branch is merged again"
    assert fleet.task(name).state == "merging"


def test_a_waiting_task_can_be_cancelled(fleet: Fleet) -> None:
    lease = fleet.worker("w")
    name = finish_one(fleet, lease)

    assert fleet.queue.cancel(name).note == "the next merge leaves it out"

    merger = Merger(fleet, lease)
    turn = merger.take()
    task = merger.find(turn)
    assert (task.is_cancelling, fleet.task(name).is_cancelling) == (True, True)
    merger.record(turn, merge_changes.end(task, "cancelled", ""))
    assert fleet.task(name).state == "cancelled"
