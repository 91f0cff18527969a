"""Whether a loop really holds its agent: clients ignore a hook that fails."""

from datetime import UTC, datetime

from untildone.engine.context import Context
from untildone.engine.feature import load_used_features
from untildone.engine.scope import Scope
from untildone.engine.session_events import explain_unjudged_stop
from untildone.engine.speaker import is_driven
from untildone.process.runner import is_alive
from untildone.report.status import Held, LoopStatus
from untildone.store.loops import Record
from untildone.store.sessions import Session


def load_loop_status(context: Context, record: Record) -> LoopStatus:
    session = context.session_of(record)
    held, why = check_hold(record, session)
    seen = session.find_last_event()
    at = datetime.fromtimestamp(seen, UTC).isoformat(timespec="seconds") if seen else None
    contract, progress = record.agreed, record.progress
    features = load_used_features(context, Scope(event="status", contract=record.contract))
    reasons = (feature.explain_spend(context, record) for feature in features)
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
        last_event_at=at,
        spend_usd=progress.spend_usd,
        started_at=contract.started_at,
        updated_at=progress.updated_at or contract.started_at,
        reason=progress.reason,
        not_held_because=why,
        budget_usd=contract.bounds.budget_usd,
        minutes=round(progress.active_seconds / 60, 1),
        max_minutes=contract.bounds.minutes,
        spend_unknown_because=next(filter(None, reasons), ""),
    )


def check_hold(record: Record, session: Session) -> tuple[Held, str]:
    """True: its next stop will be judged as the last one was; with the reason where it is not."""
    if record.progress.status != "active":
        return False, f"the loop is {record.progress.status}"
    if is_driven(session):
        return True, ""
    if session.has("driver"):
        return False, f"its run died; `untildone continue {record.contract.id}` goes on with it"
    missed = explain_unjudged_stop(session)
    if missed:
        return False, f"the last stop was not judged: {missed}"
    if not session.is_active():
        return False, "the index does not know this loop; `untildone continue` fixes it"
    if not session.find_last_event():
        return False, "no hook of this session was seen"
    process = str(session.read_json("session.json").get("process", ""))
    if session.has("ended.json") or (process.isdecimal() and not is_alive(int(process))):
        return False, "the session has ended; resume it in the agent"
    return ("unknown", "no process is known for this session") if not process else (True, "")
