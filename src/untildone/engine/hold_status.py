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
from untildone.report.last_round import describe_last_round
from untildone.report.notices import describe_next_step
from untildone.report.running_checks import find_running_check
from untildone.report.status import Held, LastVerdict, LoopStatus, RunningStatus
from untildone.store.durable_files import DamagedFileError
from untildone.store.loops import Record
from untildone.store.sessions import Session


def load_loop_status(context: Context, record: Record) -> LoopStatus:
    """Return what `untildone status` shows of a loop."""
    session = context.session_of(record)
    held, not_held_reason = check_hold(context, record)
    contract, progress = record.agreed, record.progress
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
        last_event_at=_format_last_event(session),
        spend_usd=progress.spend_usd,
        started_at=contract.started_at,
        updated_at=progress.updated_at or contract.started_at,
        reason=progress.reason,
        not_held_because=not_held_reason,
        budget_usd=contract.bounds.budget_usd,
        minutes=round(progress.active_seconds / 60, 1),
        max_minutes=contract.bounds.minutes,
        spend_unknown_because=_explain_spend(context, record),
        ignored_configuration=contract.ignored_configuration,
        questions=_list_questions(context, record),
        running=convert(find_running_check(session), RunningStatus | None, from_attributes=True),
        baseline_totals=progress.baseline_totals,
        totals=progress.totals,
        improved=progress.improved,
        last_verdict=_load_last_verdict(context, record),
        needs_you=_describe_need(record, "" if held else not_held_reason),
    )


def _format_last_event(session: Session) -> str | None:
    at = session.find_last_event()
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds") if at else None


def _explain_spend(context: Context, record: Record) -> str:
    """Return why the spend is unknown, as the first feature that knows says it."""
    features = load_used_features(context, Scope(event="status", contract=record.contract))
    reasons = (feature.explain_spend(context, record) for feature in features)
    return next(filter(None, reasons), "")


def _load_last_verdict(context: Context, record: Record) -> LastVerdict | None:
    if not record.progress.round:
        return None
    try:
        entry = context.loops.read_last_round(record.contract.id)
    except DamagedFileError:
        # `doctor` reports it; how the loop stands is known without it.
        return None
    return describe_last_round(entry) if entry else None


def _describe_need(record: Record, not_held_reason: str) -> str:
    """Return what the user has to do; an active loop needs them only where it is not held."""
    outcome = record.progress.outcome
    if record.progress.status == "paused" and outcome:
        return describe_next_step(record.contract.id, outcome)
    return not_held_reason if record.progress.status == "active" else ""


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
