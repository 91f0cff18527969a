"""The merge queue of one branch: fetch, merge what waits, verify, push, record.

Nothing is recorded before the push. A worker that dies on the way leaves the tasks as they were;
the next one finds in the branch itself what was merged. A worker that was only paused cannot push:
the push is refused unless the branch is where it was when the merge began.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from untildone.checks.clean_output import clean
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.core.text import shorten, to_one_line
from untildone.errors import UserError
from untildone.features.plans.task_checks import merge_checks
from untildone.runs.queue import merge_changes
from untildone.runs.queue.lease import Lease, LostLease
from untildone.runs.queue.losses import find_full_disk
from untildone.runs.queue.merge_lease import (
    MergeChange,
    MergeLease,
    MergeTurn,
    WaitingTask,
)
from untildone.runs.queue.repositories import Push, Repository, TransferError
from untildone.runs.queue.selection import CanDo
from untildone.runs.queue.values import Checkpoint, Course, get_branch, get_work_ref
from untildone.runs.queue.worker_events import TaskEnded
from untildone.runs.tasks import worktrees
from untildone.runs.tasks.batch import Candidate
from untildone.runs.tasks.git_answers import Git
from untildone.runs.tasks.merging import MergedBatch, SentBack, Target, merge_batch
from untildone.runs.tasks.portable_checks import decode_checks
from untildone.runs.tasks.task_events import Show, TaskMerged, TaskSentBack

# How often a batch is merged again because somebody else moved the branch.
_TRIES = 5
# Seconds before a transfer that failed is tried again.
_PAUSES = (2.0, 10.0, 30.0)
_FAILED = "untildone failed; the worker's output says how"


class MergeSurroundings(Struct, frozen=True, kw_only=True):
    """What a merge gets from its worker; `guard` raises if the worker stops or lost its tasks."""

    lease: Lease
    merges: MergeLease
    repository: Repository
    folder: Path
    can_merge: CanDo
    guard: Callable[[], None]
    show: Show


class MergeRun:
    def __init__(self, turn: MergeTurn, around: MergeSurroundings) -> None:
        self._turn = turn
        self._around = around
        self._repository = around.repository
        self._worktree = around.folder / f"merge-{turn.id[:12]}-{turn.token}"
        self._ref = f"refs/heads/{turn.branch}"

    def run(self) -> None:
        """Merge the tasks that wait now; leave the turn to others then."""
        waiting: tuple[WaitingTask, ...] = ()
        reason = _FAILED
        try:
            waiting = self._list_waiting()
            reason = self._try_to_merge(waiting) if waiting else ""
        finally:
            # What fails in one run would fail in the next: the user has to know.
            if reason:
                self._record(merge_changes.end(task, "blocked", reason) for task in waiting)
            self._remove_worktree()
            self._insist(lambda: self._around.merges.release(self._turn))

    def _try_to_merge(self, waiting: Sequence[WaitingTask]) -> str:
        """Merge, several times if the transfer fails; return why it cannot be done."""
        lease = self._around.lease
        for pause in (*_PAUSES, 0.0):
            try:
                self._merge(waiting)
            except (UserError, OSError) as error:
                loss = find_full_disk(error)
                if loss:
                    lease.give_up(loss)
                    raise LostLease from None
                if not isinstance(error, UserError):
                    raise
                is_curable = isinstance(error, TransferError) and error.is_curable
                if not is_curable or not pause or lease.is_stopped.wait(pause):
                    return f"merge: {error.message}"
            else:
                return ""
        return ""

    def _insist(self, action: Callable[[], object]) -> None:
        self._around.lease.insist(action)

    def _list_waiting(self) -> tuple[WaitingTask, ...]:
        merges = self._around.merges
        tasks = self._around.lease.insist(
            lambda: merges.list_waiting(self._turn, self._around.can_merge)
        )
        cancelled = [task for task in tasks if task.is_cancelling]
        if cancelled:
            self._record(merge_changes.end(task, "cancelled", "") for task in cancelled)
        return tuple(task for task in tasks if not task.is_cancelling)

    def _merge(self, waiting: Sequence[WaitingTask]) -> None:
        self._repository.prepare()
        for task in waiting:
            if not self._repository.has(task.course.commit):
                self._repository.fetch(f"refs/heads/{get_branch(task.id)}")
        for _ in range(_TRIES):
            tip = self._repository.find(self._ref)
            if self._merge_onto(tip, waiting):
                return

    def _merge_onto(self, tip: str, waiting: Sequence[WaitingTask]) -> bool:
        """Merge onto the tip; False if somebody moved the branch meanwhile."""
        begin = self._repository.bring(self._ref, tip) if tip else waiting[0].course.base
        checks = self._collect_checks(begin, waiting)
        target = Target(
            git=self._repository.git,
            branch=self._turn.branch,
            tip=begin,
            verify=lambda place, batch: self._verify(place, checks.list_for(batch)),
            trailer=lambda candidate: f"Untildone-Task: {candidate.task}",
        )
        batch = merge_batch(target, [_make_candidate(task) for task in waiting])
        if not self._push(batch, is_new=not tip):
            return False
        self._settle(batch, {task.id: task for task in waiting}, checks)
        return True

    def _collect_checks(self, tip: str, waiting: Sequence[WaitingTask]) -> "_BatchChecks":
        merges, git = self._around.merges, self._repository.git
        before = self._around.lease.insist(lambda: merges.list_merged(self._turn))
        # Those that a candidate was not verified together with.
        newer = {
            commit
            for base in {task.course.base for task in waiting}
            for commit in git.ask("rev-list", "--first-parent", tip, f"^{base}").splitlines()
        }
        beside = [
            check
            for name, course in before.items()
            if course.merge in newer
            for check in _name_checks(name, course)
        ]
        return _BatchChecks({task.id: task.course for task in waiting}, tuple(beside))

    def _verify(self, place: str, checks: tuple[Check, ...]) -> tuple[CheckResult, ...]:
        self._around.guard()
        self._insist(lambda: self._around.merges.require(self._turn))
        if not self._worktree.exists():
            with self._repository.lock():
                worktrees.remove_worktree(self._repository.git, self._worktree)
                worktrees.check_out(self._repository.git, self._worktree, "--detach", commit=place)
        git = Git(self._worktree)
        worktrees.unlock(git)
        worktrees.restore_tree(git, f"{place}^{{tree}}")
        results = run_checks(checks, RunOptions(project=self._worktree))
        # Checks of a worker that stops are ended, and look red.
        self._around.guard()
        return results

    def _push(self, batch: MergedBatch, *, is_new: bool) -> bool:
        """Push the branch if it is still at the tip; False if it is not."""
        if batch.head == batch.tip:
            return True
        push = Push(
            ref=self._ref,
            commit=batch.head,
            is_new=is_new,
            replaces="" if is_new else batch.tip,
        )
        self._around.guard()
        self._insist(lambda: self._around.merges.require(self._turn))
        try:
            self._repository.push([push])
        except UserError:
            there = self._repository.find(self._ref)
            if there == batch.head:
                return True
            if there != push.replaces:
                return False
            raise
        return True

    def _settle(
        self, batch: MergedBatch, tasks: dict[str, WaitingTask], checks: "_BatchChecks"
    ) -> None:
        """Record what is merged first: it is pushed already."""
        merged = {one.candidate.task: one for one in batch.merged}
        for change in self._record(
            merge_changes.mark_merged(tasks[name], one) for name, one in merged.items()
        ):
            one = merged[change.task.id]
            self._around.show(change.task.id, TaskMerged(commit=one.commit, checks=one.checks))
        others = checks.list_others(tuple(merged))
        for back in batch.sent_back:
            task = tasks[back.candidate.task]
            checkpoint = self._push_merged_tree(task, back)
            self._around.show(task.id, TaskSentBack(reason=clean(back.reason)))
            self._record(
                [merge_changes.send_back(task, back, checkpoint=checkpoint, others=others)]
            )
        self._record(
            merge_changes.end(tasks[one.candidate.task], "blocked", one.reason)
            for one in batch.hindered
        )

    def _push_merged_tree(self, task: WaitingTask, back: SentBack) -> Checkpoint:
        """Store the files of a merge that failed, with its markers, for the next worker."""
        message = f"untildone: merge of {task.id}, not done yet"
        commit = self._repository.git.make_commit(
            back.tree, back.onto, task.course.commit, message=message
        )
        ref = get_work_ref(task.id, task.token, f"merge-{self._turn.token}")
        self._repository.push([Push(ref=ref, commit=commit)])
        course = task.course
        return Checkpoint(
            ref=ref, commit=commit, rounds=course.rounds, spend_usd=course.spend_usd, note=""
        )

    def _record(self, changes: Iterable[MergeChange]) -> tuple[MergeChange, ...]:
        """Record what became of tasks, and show those that ended without being merged.

        Returns what was not recorded before.
        """
        self._around.guard()
        changes, merges = tuple(changes), self._around.merges
        recorded = self._around.lease.insist(lambda: merges.record(self._turn, changes))
        for change in recorded:
            if change.state in ("ended", "cancelled"):
                ended = TaskEnded(
                    state=change.state,
                    outcome=change.outcome or "unverified",
                    reason=change.reason,
                    branch="",
                    commit="",
                )
                self._around.show(change.task.id, ended)
        return recorded

    def _remove_worktree(self) -> None:
        if self._worktree.exists():
            with self._repository.lock():
                worktrees.remove_worktree(self._repository.git, self._worktree)


class _BatchChecks:
    """The checks of a batch: each candidate's own, and those of tasks merged meanwhile."""

    def __init__(self, courses: dict[str, Course], beside: tuple[Check, ...]) -> None:
        self._courses = courses
        self._beside = beside

    def list_for(self, candidates: Sequence[Candidate]) -> tuple[Check, ...]:
        """Return the checks of candidates; without any, those that the tip itself has to pass."""
        if candidates:
            return self.list_others([one.task for one in candidates])
        kept = (
            check
            for name, course in self._courses.items()
            for check in decode_checks(course.checks)
            if check.name not in course.red_before
        )
        return merge_checks((*kept, *self._beside))

    def list_others(self, names: Sequence[str]) -> tuple[Check, ...]:
        own = (check for name in names for check in _name_checks(name, self._courses[name]))
        return merge_checks((*own, *self._beside))


def _make_candidate(task: WaitingTask) -> Candidate:
    headline = to_one_line(task.options.task) or task.id
    return Candidate(
        task=task.id,
        title=shorten(headline, 60),
        commit=task.course.commit,
        base=task.course.base,
    )


def _name_checks(task: str, course: Course) -> list[Check]:
    """Return the checks named after their task: `check` alone says nothing in a batch."""
    return [replace(check, name=f"{task} {check.name}") for check in decode_checks(course.checks)]
