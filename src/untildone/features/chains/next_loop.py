"""Starts the loop that follows one that has ended well, at the same stop.

The next loop is the next template of `--then`, or the next task of a plan. The agent is not let
go: the stop is answered with the next task.
"""

from pathlib import Path

from msgspec.structs import replace

from untildone.core.contract import Contract
from untildone.core.feedback import quote_task
from untildone.core.verdict import Continue
from untildone.engine.artifacts import write_task
from untildone.engine.baseline_results import start_detached_baseline
from untildone.engine.context import Context
from untildone.engine.loop_start import begin_loop
from untildone.engine.prompt_start import describe_loop
from untildone.engine.receipts import publish_receipt
from untildone.engine.request import Request
from untildone.engine.stopped_loop import Answer
from untildone.engine.verbs import change_loop
from untildone.errors import UserError
from untildone.features.templates.recipes import apply_template
from untildone.store.loops import Record


def start_next_loop(context: Context, ended: Record, answer: Answer) -> Answer:
    """Start the next loop; return the answer that makes the agent go on with it.

    If it cannot be started, return the `answer` to the ended loop with a notice of why.
    """
    project = Path(ended.contract.project)
    try:
        record = begin_loop(context, _build_request(context, ended, project))
    except UserError as error:
        next_names = ended.contract.then[:1] or ("the next task",)
        problem = f"`{next_names[0]}` could not be started: {error.message}; {error.hint}"
        return replace(answer, notice=f"{answer.notice} | untildone: {problem}")
    record = _carry_counts(context, ended, record)
    write_task(project, record.contract)
    if record.contract.checks:
        start_detached_baseline(context, record)
    ended = change_loop(
        context,
        ended.contract.id,
        lambda now: replace(now.progress, followed_by=record.contract.id),
        kind="followed",
        by=record.contract.id,
    )
    publish_receipt(context, ended, project=project)
    return Answer(
        verdict=Continue(cause="unmet"),
        feedback=_build_feedback(ended.contract, record),
        notice=f"{answer.notice}\n{describe_loop(record)}",
    )


def _carry_counts(context: Context, ended: Record, record: Record) -> Record:
    """Return the new loop with the ended one's counts of stops and holds.

    The client limits the holds of a turn, which goes on: its count does not begin again, and this
    answer is one more.
    """
    return change_loop(
        context,
        record.contract.id,
        lambda now: replace(
            now.progress,
            stops_by_source=ended.progress.stops_by_source,
            idle_holds=ended.progress.idle_holds + 1,
        ),
        kind="following",
        after=ended.contract.id,
    )


def _build_request(context: Context, ended: Record, project: Path) -> Request:
    """Return the request for the plan's next task, or for the first template of `--then`."""
    contract = ended.contract
    if contract.plan:
        from untildone.features.plans.task_loops import build_next_request

        return build_next_request(context, ended, contract.plan)
    request = Request(
        session=context.session_of(ended).id,
        project=project,
        by=contract.started_by,
        then=contract.then[1:],
        after=contract.id,
        follows_done=ended.progress.outcome == "done",
    )
    return apply_template(context, request, contract.then[0])


def _build_feedback(ended: Contract, record: Record) -> str:
    """Return what the agent reads: the loop that has ended, the next one's checks and task."""
    contract = record.contract
    checks = "".join(f"\n- {check.name}: `{check.command}`" for check in contract.checks)
    return (
        f"[untildone] That task is finished (loop {ended.id}). Continue with the next task, in"
        f" loop {contract.id}: when you stop, its criteria are judged.{checks}\n\n"
        + quote_task(contract)
    )
