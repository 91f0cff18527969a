"""Automatic mode: without a loop, a turn whose edits introduced errors is held a few times."""

from collections.abc import Collection
from pathlib import Path

from untildone.agents.events import Stop
from untildone.core.agent_message import has_signal
from untildone.core.check_results import Finding
from untildone.core.edit_feedback import list_findings, sort_by_place, summarize_findings
from untildone.core.text import to_one_line
from untildone.core.verdict import Continue, Wait
from untildone.engine.context import Context
from untildone.engine.duplicate_events import is_duplicate_event
from untildone.engine.payload import Call
from untildone.engine.speaker import explain_ignored, read_tail
from untildone.features.edits import switch
from untildone.features.edits.diagnosis import find_introduced
from untildone.features.edits.edit_events import locate_file
from untildone.store.lock import hold_lock
from untildone.store.sessions import Session

MAX_HOLDS = 3
_STATE = "automatic.json"
# Servers may have to start first, and each file is diagnosed twice.
_WAIT = 10.0
_PATIENCE = 60.0


def answer_stop(context: Context, call: Call, stop: Stop) -> str:
    """The reply that holds a turn whose edits introduced errors; empty if it may end."""
    session = context.session(stop.session)
    with hold_lock(Path(session.path("automatic.lock")), timeout=_PATIENCE):
        if not _should_judge(context, stop, session) or is_duplicate_event(context, call):
            return ""
        return _judge_turn(context, call, stop, session)


def _should_judge(context: Context, stop: Stop, session: Session) -> bool:
    """False if the turn is not over, or another part of untildone judges it."""
    if switch.AUTO not in session.read_stop_reasons() or session.get_loop_id():
        return False
    if stop.plan_mode or any(work.ends for work in stop.background):
        return False
    if stop.attended and context.agent.has_queued_input(read_tail(stop.transcript)):
        return False
    return not explain_ignored(context.agent, context.environ)


def _judge_turn(context: Context, call: Call, stop: Stop, session: Session) -> str:
    state = session.read_json(_STATE)
    holds = state.get("holds") if state.get("prompt") == stop.prompt else 0
    number = holds + 1 if isinstance(holds, int) else 1
    if switch.AUTO not in switch.read_modes(call.home) or has_signal(stop.message):
        return _end_turn(session)
    found = _find_introduced(context, stop, session)
    if not found:
        return _end_turn(session)
    if number > MAX_HOLDS:
        _end_turn(session)
        return _reply(context, Wait(reason="held often enough"), notice=format_release(found))
    session.write_json(_STATE, {"prompt": stop.prompt, "holds": number})
    return _reply(
        context,
        Continue(cause="unmet"),
        feedback=format_hold(found, hold=number),
        notice=f"untildone: held automatically ({number} of {MAX_HOLDS}):"
        f" {summarize_findings(found)}",
    )


def _find_introduced(context: Context, stop: Stop, session: Session) -> tuple[Finding, ...]:
    """Errors in the files of this prompt that were not there before its first edit."""
    before: dict[Path, str | None] = {}
    project = Path()
    for name in _list_saved_files(session):
        known = session.read_json(name)
        project, file = locate_file(stop, str(known.get("path", "")))
        text = known.get("text")
        if file and known.get("prompt") == stop.prompt and isinstance(text, str | None):
            before[file] = text
    return find_introduced(context, project, before, wait=_WAIT) if before else ()


def _end_turn(session: Session) -> str:
    """Lets the turn end and forgets its edits."""
    for name in _list_saved_files(session):
        session.remove(name)
    session.watch_stops(switch.AUTO, wanted=False)
    return ""


def _list_saved_files(session: Session) -> list[str]:
    return sorted(path.name for path in Path(session.folder).glob("before-*.json"))


def _reply(context: Context, verdict: Continue | Wait, *, notice: str, feedback: str = "") -> str:
    return context.agent.format_reply(
        verdict, feedback=feedback, notice=notice, environ=context.environ
    )


def format_hold(findings: Collection[Finding], *, hold: int) -> str:
    """The feedback of an automatic hold; `hold` counts them since the user's prompt."""
    head = (
        f"[untildone] AUTO-CONTINUE {hold} of {MAX_HOLDS}: your edits in this turn brought what"
        f" was not there before: {summarize_findings(findings)}."
    )
    step = (
        "Next: fix the code and stop again; what was there before is not counted. If it is meant"
        " to be so, say why and end your message with <untildone:done />."
    )
    return "\n".join((head, list_findings(findings), step))


def format_release(findings: Collection[Finding]) -> str:
    """The notice to the user after the last automatic hold."""
    paths = dict.fromkeys(finding.path for finding in sort_by_place(findings))
    return (
        f"untildone: let go after {MAX_HOLDS} automatic holds; this turn's edits left"
        f" {summarize_findings(findings)} in {to_one_line(', '.join(paths))}"
    )
