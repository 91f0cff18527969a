"""Answers SessionStart and SessionEnd: what happens to a loop when its conversation changes.

After a resume or a compaction the model is reminded of the loop. `/clear` and a fork begin a new
conversation without it; the loop is paused. `write_reminder` and `describe_standing` also serve the
prompts of a session with a loop.
"""

from untildone.core.criteria import lacks_criteria
from untildone.core.feedback import quote_task
from untildone.core.progress import Progress
from untildone.core.reminders import CRITERIA_STEP, list_reminders
from untildone.engine import verbs
from untildone.engine.context import Context
from untildone.engine.judging import explain_unjudged_stop
from untildone.engine.lost_loops import describe_lost_loop
from untildone.engine.payload import Call
from untildone.report.notices import describe_pause, format_status_line
from untildone.store.loops import Record
from untildone.store.sessions import Session, list_sessions

# Characters; of a longer text the client shows the model only the beginning.
_LONGEST_CONTEXT = 9_800


def answer_session(context: Context, call: Call) -> str:
    """Return what the hook prints when a session starts, is compacted, cleared, forked or ends."""
    if call.event == "SessionEnd":
        return _handle_end(context, call)
    started = context.agent.parse_session_start(call.data)
    session = context.session(started.session)
    if started.source in ("clear", "fork"):
        return _describe_left_loop(context, call, session)
    lost = describe_lost_loop(context, session)
    if lost or not session.get_loop_id():
        return context.agent.format_greeting(context="", notice=lost) if lost else ""
    record = context.loops.load(session.get_loop_id())
    session.remove("compacting")
    return context.agent.format_greeting(
        context=write_reminder(record), notice=describe_standing(context, record)
    )


def _handle_end(context: Context, call: Call) -> str:
    """Pause the loop at `/clear`; a session that ends in another way can be resumed with it."""
    session = context.session(call.text("session_id"))
    if call.text("reason") == "clear" and session.is_active():
        verbs.pause(context, session.get_loop_id(), "the conversation was cleared")
    session.write_json("ended.json", {"reason": call.text("reason")})
    return ""


def _describe_left_loop(context: Context, call: Call, session: Session) -> str:
    """Pause the loop of the conversation that was left, and tell the user how to move it here."""
    for other in list_sessions(str(context.home), context.agent.NAME):
        loop = other.get_loop_id()
        if other.id == session.id or not loop or not _is_same_conversation(call, other):
            continue
        if other.is_active():
            verbs.pause(context, loop, "the conversation was left for a new one")
        notice = (
            f"untildone: loop {loop} stayed with the earlier conversation and is not"
            f" held here; `!untildone continue --here {loop}` takes it along"
        )
        return context.agent.format_greeting(context="", notice=notice)
    return ""


def _is_same_conversation(call: Call, other: Session) -> bool:
    """Say whether `other` is the session that this new one was cleared or forked from.

    It ran in the same client process. A fork may have a new process: then the old one must have
    ended, in the same project.
    """
    from untildone.process.runner import is_alive

    session_facts = other.read_json("session.json")
    process = str(session_facts.get("process", ""))
    if process and process == call.process:
        return True
    has_ended = not (process.isdecimal() and is_alive(int(process)))
    is_fork = call.text("source") == "fork"
    return has_ended and is_fork and session_facts.get("project") == call.project


def write_reminder(record: Record) -> str:
    """Return what the model must know of an active loop when it has forgotten the conversation."""
    contract = record.agreed
    progress = record.progress
    if progress.status != "active":
        return ""
    checks = "".join(f"- {check.name}: `{check.command}`\n" for check in contract.checks)
    verb = f"verify {contract.plan.name}" if contract.plan else "met"
    claims = "".join(
        f"- {claim.name} (report with `untildone {verb}`)\n" for claim in contract.claims
    )
    nothing = f"- none yet. {CRITERIA_STEP}\n" if lacks_criteria(contract) else ""
    unmet = _list_unmet(progress)
    head = (
        f"[untildone] A loop is active in this session ({format_status_line(record)}). When you"
        f" stop, its checks are run and you go on until they pass.\nCriteria:\n{checks}{claims}"
        f"{nothing}Unmet at the last stop: {unmet}\n"
        + "".join(f"{line}\n" for line in list_reminders(contract, progress))
    )
    return head + quote_task(contract, limit=_LONGEST_CONTEXT - len(head))


def _list_unmet(progress: Progress) -> str:
    if progress.unmet is None:
        return "not judged yet"
    return ", ".join(progress.unmet) or "no check or criterion"


def describe_standing(context: Context, record: Record) -> str:
    """Return a notice if the loop is paused, asks something, or a stop was not judged."""
    session = context.session_of(record)
    unjudged_reason = explain_unjudged_stop(context, session)
    if unjudged_reason:
        return (
            f"untildone: the last stop was not judged ({unjudged_reason}); the agent was not held"
        )
    if record.progress.outcome == "gate":
        return f"untildone: loop {record.contract.id} still asks: {record.progress.reason}"
    if record.progress.status == "paused":
        return describe_pause(record, in_session=True)
    return ""
