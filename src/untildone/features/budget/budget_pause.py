"""Pauses a loop between two tool calls if its budget or its minutes are used up.

The client calls us after its tool calls; a stop, at which the bounds are checked too, may be far
away. To stay cheap, the bounds are looked at only once in some seconds.
"""

import time
from pathlib import Path

from msgspec.structs import replace

from untildone.agents.events import Stop
from untildone.core.decide import decide_between_stops
from untildone.core.evidence import Evidence
from untildone.core.progress import Progress
from untildone.core.transitions import update_spend
from untildone.core.verdict import Pause
from untildone.engine import verbs
from untildone.engine.active_time import count_time
from untildone.engine.context import Context
from untildone.engine.feature import load_used_features
from untildone.engine.payload import Call
from untildone.engine.receipts import locate_receipt
from untildone.engine.scope import Scope
from untildone.engine.speaker import explain_ignored
from untildone.features.budget.spend_source import measure_spend
from untildone.report.notices import describe_verdict
from untildone.store.loops import Record
from untildone.store.sessions import Session

# The next look is at least so many seconds away, and so many times as long as this one took,
# so that looking takes at most a twentieth of the time.
_MIN_SECONDS_BETWEEN_LOOKS = 5.0
_LOOK_TIME_FACTOR = 20


class _NoLongerActiveError(Exception):
    """The user ended or paused the loop in the meantime."""


def answer_tool_call(context: Context, call: Call) -> str:
    """Pause the loop if one of its bounds is used up; else schedule the next look.

    Return the client's answer format for "end the turn", or an empty text to go on.
    """
    # What is needed of a tool call, such as session and transcript, a stop has too.
    event = context.agent.parse_stop(call.data, context.environ)
    # A payload that cannot be read names no session; the environment may.
    if call.fault:
        event = replace(event, session=call.session)
    session = context.session(event.session)
    if not session.is_active() or explain_ignored(context.agent, context.environ):
        return ""
    record = context.loops.load(session.get_loop_id())
    evidence = _build_evidence(context, record, session, event)
    pause = decide_between_stops(record.agreed, record.progress, evidence)
    if pause is None:
        session.schedule_meter(
            max(_MIN_SECONDS_BETWEEN_LOOKS, _LOOK_TIME_FACTOR * time.process_time())
        )
        return ""
    if event.subagent:
        # This answer ends only the subagent's turn; the loop pauses at the agent's own call.
        return context.agent.end_turn(f"untildone: {pause.reason}")
    try:
        record = _pause_loop(context, record, evidence, pause)
    except _NoLongerActiveError:
        return ""
    receipt = locate_receipt(context, record, project=Path(record.contract.project))
    return context.agent.end_turn(describe_verdict(record, pause, (), receipt=receipt))


def _build_evidence(context: Context, record: Record, session: Session, event: Stop) -> Evidence:
    """Return the money and minutes the loop has used; the money only if it has a budget."""
    progress = count_time(record.progress, session)
    bounds = record.agreed.bounds
    return Evidence(
        spend_usd=measure_spend(context, record, event) if bounds.budget_usd else None,
        minutes=progress.active_seconds / 60,
        round_minutes=progress.round_seconds / 60,
    )


def _pause_loop(context: Context, record: Record, evidence: Evidence, pause: Pause) -> Record:
    """Save the pause, announce it to the features and return the paused loop."""

    def update_progress(record: Record) -> Progress:
        if record.progress.status != "active":
            raise _NoLongerActiveError
        progress = count_time(record.progress, context.session_of(record))
        return replace(progress, spend_usd=update_spend(progress, evidence))

    loop = record.contract.id
    record = verbs.end(context, loop, pause, update_progress)
    scope = Scope(event="pause", folder=context.loops.get_folder(loop))
    for feature in load_used_features(context, scope):
        # False: this pause is not the end of a round.
        feature.announce(context, record, pause, False)
    return record
