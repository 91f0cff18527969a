"""Automatic mode: without a loop, a turn whose edits introduced errors is held a few times.

A turn is what the agent does after one prompt of the user. If it wants to end the turn while the
files that it edited have errors which they did not have before, it is told to go on.
"""

from collections.abc import Collection
from pathlib import Path

from untildone.agents.events import Stop
from untildone.core.agent_message import has_signal
from untildone.core.check_results import Finding
from untildone.core.edit_feedback import list_findings, sort_by_place, summarize_findings
from untildone.core.text import join_first, to_one_line
from untildone.core.verdict import Continue, Wait
from untildone.engine.brief_answer import save_feedback
from untildone.engine.context import Context
from untildone.engine.duplicate_events import is_duplicate_event
from untildone.engine.payload import Call
from untildone.engine.speaker import explain_ignored, read_tail
from untildone.features.edits import switch
from untildone.features.edits.diagnosis import find_introduced
from untildone.features.edits.edit_events import locate_file
from untildone.store.lock import hold_lock
from untildone.store.sessions import Session
from untildone.worktree.listing import find_worktree

MAX_HOLDS = 3
# In the session's folder: the prompt of the turn, and how often the turn was held.
_HOLDS_FILE = "automatic.json"
# Servers may have to start first, and each file is diagnosed twice.
_WAIT_SECONDS = 10.0
_LOCK_SECONDS = 60.0


def answer_stop(context: Context, call: Call, stop: Stop) -> str:
    """Return the reply that holds a turn whose edits introduced errors; empty if it may end."""
    session = context.session(stop.session)
    with hold_lock(Path(session.get_path("automatic.lock")), timeout=_LOCK_SECONDS):
        if not _should_judge(context, stop, session) or is_duplicate_event(context, call):
            return ""
        return _judge_turn(context, call, stop, session)


def _should_judge(context: Context, stop: Stop, session: Session) -> bool:
    """Say whether the turn is over and automatic mode, not a loop, judges it.

    It is not over in plan mode, while background work runs that will end (a server will not), or
    if the user's next prompt waits.
    """
    if switch.AUTO not in session.read_stop_reasons() or session.get_loop_id():
        return False
    if stop.plan_mode or any(work.ends for work in stop.background):
        return False
    if stop.attended and context.agent.list_queued_input(read_tail(stop.transcript)):
        return False
    return not explain_ignored(context.agent, context.environ)


def _judge_turn(context: Context, call: Call, stop: Stop, session: Session) -> str:
    """Return the reply to the end of a turn: hold it, let it go with a notice, or nothing.

    The agent ends the turn in spite of errors by a signal: `<untildone:done />`.
    """
    state = session.read_json(_HOLDS_FILE)
    holds = state.get("holds") if state.get("prompt") == stop.prompt else 0
    hold = holds + 1 if isinstance(holds, int) else 1
    if switch.AUTO not in switch.read_modes(call.home) or has_signal(stop.message):
        return _end_turn(session)
    errors = _find_turn_errors(context, stop, session)
    if not errors:
        return _end_turn(session)
    if hold > MAX_HOLDS:
        _end_turn(session)
        verdict = Wait(reason="held often enough")
        return _format_reply(context, verdict, notice=format_release(errors))
    session.write_json(_HOLDS_FILE, {"prompt": stop.prompt, "holds": hold})
    feedback = format_hold(errors, hold=hold)
    notice = f"untildone: held automatically ({hold} of {MAX_HOLDS}): {summarize_findings(errors)}"
    if stop.shown:
        project = find_worktree(stop.project, stop.cwd)
        pointer = save_feedback(project, stop, session.id[:8], feedback)
        feedback, notice = (f"{notice}. {pointer}", "") if pointer else (feedback, notice)
    return _format_reply(context, Continue(cause="unmet"), feedback=feedback, notice=notice)


def _find_turn_errors(context: Context, stop: Stop, session: Session) -> tuple[Finding, ...]:
    """Return the errors in files edited since this prompt that were not there before."""
    before: dict[Path, str | None] = {}
    project = Path()
    for name in _list_saved_files(session):
        saved = session.read_json(name)
        project, file = locate_file(stop, str(saved.get("path", "")))
        text = saved.get("text")
        if file and saved.get("prompt") == stop.prompt and isinstance(text, str | None):
            before[file] = text
    return find_introduced(context, project, before, wait=_WAIT_SECONDS) if before else ()


def _end_turn(session: Session) -> str:
    """Forget the edits of the turn, and return the empty reply that lets it end."""
    for name in _list_saved_files(session):
        session.remove(name)
    session.watch_stops(switch.AUTO, wanted=False)
    return ""


def _list_saved_files(session: Session) -> list[str]:
    """Return the names of the files in which a hook saved texts from before the turn's edits."""
    return sorted(path.name for path in Path(session.folder).glob("before-*.json"))


def _format_reply(
    context: Context, verdict: Continue | Wait, *, notice: str, feedback: str = ""
) -> str:
    """Return the verdict in the client's format; the agent reads `feedback`, the user `notice`."""
    return context.agent.format_reply(
        verdict, feedback=feedback, notice=notice, environ=context.environ
    )


def format_hold(findings: Collection[Finding], *, hold: int) -> str:
    """Return the feedback to the agent; `hold` is the number of holds since the user's prompt."""
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
    """Return the notice to the user after the last automatic hold."""
    paths = dict.fromkeys(finding.path for finding in sort_by_place(findings))
    return (
        f"untildone: released after {MAX_HOLDS} automatic holds; this turn's edits left"
        f" {summarize_findings(findings)} in {to_one_line(join_first(tuple(paths)))}"
    )
