"""The verbs that a user types as a prompt: cancel, pause, status, approve, continue."""

from untildone.agents.events import Prompt
from untildone.core.concerns import strip_content_digest
from untildone.engine import verbs
from untildone.engine.active_time import record_turn
from untildone.engine.approval import approve
from untildone.engine.context import Context
from untildone.engine.grants import parse_grant
from untildone.engine.phrases import PromptVerb
from untildone.engine.session_events import write_reminder
from untildone.errors import UserError
from untildone.report.notices import format_status_line
from untildone.store.loops import Record
from untildone.store.sessions import Session


def answer_verb(context: Context, session: Session, prompt: Prompt, spoken: PromptVerb) -> str:
    loop = session.get_loop_id()
    _require_loop(loop, spoken)
    match spoken.verb:
        case "cancel":
            verbs.cancel(context, loop)
            notice = f"untildone: loop {loop} is cancelled"
        case "pause":
            verbs.pause(context, loop)
            notice = f"untildone: loop {loop} is paused; `/untildone:continue` resumes it"
        case "status":
            notice = format_status_line(context.loops.load(loop))
        case "approve":
            notice = _approve(context, loop, spoken.rest)
        case "continue":
            # The loop goes on before the model sees the prompt, which then wakes the agent.
            grant = parse_grant(spoken.rest)
            if grant or not session.is_active():
                verbs.resume(context, loop, grant)
            return pass_resumed_prompt(context, session, prompt, context.loops.load(loop))
    return context.agent.consume_prompt(notice)


def _require_loop(loop: str, spoken: PromptVerb) -> None:
    """Refuses a verb in a session without a loop, and one that names another loop."""
    if not loop:
        raise UserError("this session has no loop", hint="`untildone status` shows what runs")
    named = spoken.rest.split() if spoken.verb in ("cancel", "pause", "status") else []
    if named and not loop.startswith(named[0]):
        raise UserError(
            f"this session's loop is `{loop}`, not `{named[0]}`",
            hint=f"`untildone {spoken.verb} {named[0]}` in your own terminal",
        )


def _approve(context: Context, loop: str, named: str) -> str:
    result = approve(context, context.loops.load(loop), tuple(named.split()))
    approved, left = (
        ", ".join(map(strip_content_digest, findings))
        for findings in (result.approved, result.left)
    )
    asked = f"; still asked about: {left}" if left else ""
    wakes = "; `/untildone:continue` wakes the agent" if result.goes_on else ""
    return f"untildone: approved {approved}{asked}{wakes}"


def pass_resumed_prompt(context: Context, session: Session, prompt: Prompt, record: Record) -> str:
    """Lets the prompt through to the agent, with a reminder of the loop that goes on."""
    record_turn(session, record.progress, prompt=prompt.prompt, kind="continue")
    return context.agent.pass_prompt(
        context=write_reminder(record), notice=f"untildone: loop {record.contract.id} goes on"
    )
