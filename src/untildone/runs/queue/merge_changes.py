"""What becomes of tasks that waited for their merge, as changes of their rows."""

import os
from collections.abc import Iterable

from msgspec.structs import asdict, replace

from untildone.core.contract import Bounds, Check
from untildone.core.verdict import Outcome
from untildone.engine.start_options import apply_bounds
from untildone.runs.queue.merge_lease import MergeChange, WaitingTask
from untildone.runs.queue.redaction import redact
from untildone.runs.queue.values import Checkpoint, MergeEvidence, State, encode
from untildone.runs.tasks.merging import Merge, SentBack
from untildone.runs.tasks.portable_checks import encode_checks


def mark_merged(task: WaitingTask, merge: Merge) -> MergeChange:
    course = replace(task.course, merge=merge.commit)
    return MergeChange(
        task=task,
        state="done",
        step="merged",
        outcome=course.outcome,
        reason=course.reason,
        values={"result": encode(course), "evidence": ""},
        detail=merge.commit,
    )


def end(task: WaitingTask, outcome: Outcome, reason: str) -> MergeChange:
    """End a task whose branch stays: `retry` merges it again."""
    state: State = "cancelled" if outcome == "cancelled" else "ended"
    return MergeChange(task=task, state=state, step=state, outcome=outcome, reason=_redact(reason))


def send_back(
    task: WaitingTask, back: SentBack, *, checkpoint: Checkpoint, others: Iterable[Check]
) -> MergeChange:
    """Queue the task again, on the merged tree, unless its bounds are used up."""
    course, reason = task.course, _redact(back.reason)
    evidence = MergeEvidence(
        reason=reason,
        onto=back.onto,
        conflicts=back.conflicts,
        checks=encode_checks(tuple(others)),
        branch_commit=course.commit,
        receipt_commit=course.receipt_commit,
    )
    outcome = find_used_bound(task)
    values: dict[str, object] = {"evidence": encode(evidence)}
    if outcome:
        # Not the branch: a retry has to work on it, not to merge it.
        values["result"] = encode(replace(course, branch="", outcome=outcome))
    else:
        values |= {"attempt": task.attempt + 1, "worker": "", "result": ""}
    return MergeChange(
        task=task,
        state="ended" if outcome else "queued",
        step="sent back",
        outcome=outcome,
        reason=reason,
        values=values,
        checkpoint=checkpoint,
    )


def find_used_bound(task: WaitingTask) -> Outcome | None:
    """Return the outcome of a task that may not go on, because a bound is used up."""
    bounds, course = apply_bounds(Bounds(), asdict(task.options)), task.course
    if bounds.rounds and course.rounds >= bounds.rounds:
        return "out-of-rounds"
    if bounds.budget_usd and (course.spend_usd or 0) >= bounds.budget_usd:
        return "out-of-budget"
    return None


def _redact(reason: str) -> str:
    """Return a reason, which may be the output of checks, without secrets of this machine."""
    return redact(reason, os.environ)
