"""The status of a loop, and whether its agent is really held: will its next stop be judged?

An active loop holds nobody if its session has ended, or if its hook fails: clients ignore that.
"""

from datetime import UTC, datetime

from msgspec import convert

from untildone.engine.context import Context
from untildone.engine.feature import load_used_features
from untildone.engine.judging import explain_unjudged_stop
from untildone.engine.open_questions import describe_open_questions
from untildone.engine.scope import Scope
from untildone.engine.speaker import is_driven
from untildone.process.runner import is_alive
from untildone.report.running_checks import find_running_check
from untildone.report.status import Held, LoopStatus, RunningStatus
from untildone.store.loops import Record


def load_loop_status(context: Context, record: Record) -> LoopStatus:
    """Return what `untildone status` shows of a loop."""
    session = context.session_of(record)
    held, not_held_reason = check_hold(context, record)
    event_time = session.find_last_event()
    last_event_at = (
        datetime.fromtimestamp(event_time, UTC).isoformat(timespec="seconds")
        if event_time
        else None
    )
    contract, progress = record.agreed, record.progress
    features = load_used_features(context, Scope(event="status", contract=record.contract))
    spend_reasons = (feature.explain_spend(context, record) for feature in features)
    return LoopStatus(
        id=contract.id,
        agent=contract.agent,
        session=contract.session,
        project=contract.project,
        task=contract.task,
        status=progress.status,
        outcome=progress.outcome,
        round=progress.round,
        max_rounds=contract.bounds.rounds,
        unmet=progress.unmet or (),
        held=held,
        last_event_at=last_event_at,
        spend_usd=progress.spend_usd,
        started_at=contract.started_at,
        updated_at=progress.updated_at or contract.started_at,
        reason=progress.reason,
        not_held_because=not_held_reason,
        budget_usd=contract.bounds.budget_usd,
        minutes=round(progress.active_seconds / 60, 1),
        max_minutes=contract.bounds.minutes,
        spend_unknown_because=next(filter(None, spend_reasons), ""),
        ignored_configuration=contract.ignored_configuration,
        questions=_list_questions(context, record),
        running=convert(find_running_check(session), RunningStatus | None, from_attributes=True),
    )


def _list_questions(context: Context, record: Record) -> tuple[str, ...]:
    command = f"`untildone approve --loop {record.contract.id}`"
    return tuple(describe_open_questions(context, record, command=command))


def check_hold(context: Context, record: Record) -> tuple[Held, str]:
    """Return whether the loop's next stop will be judged (True, False, "unknown"), and why not."""
    session = context.session_of(record)
    if record.progress.status != "active":
        return False, f"the loop is {record.progress.status}"
    if is_driven(session):
        return True, ""
    if session.has("driver"):
        return False, f"its run died; `untildone continue {record.contract.id}` goes on with it"
    unjudged_reason = explain_unjudged_stop(context, session)
    if unjudged_reason:
        return False, f"the last stop was not judged: {unjudged_reason}"
    if not session.is_active():
        return False, "the index does not know this loop; `untildone continue` fixes it"
    if not session.find_last_event():
        return False, "no hook of this session was seen"
    if session.has("released"):
        return False, f"released until your next prompt: {session.read('released')}"
    process = str(session.read_json("session.json").get("process", ""))
    if session.has("ended.json") or (process.isdecimal() and not is_alive(int(process))):
        return False, "the session has ended; resume it in the agent"
    return ("unknown", "no process is known for this session") if not process else (True, "")
