"""Carries out a verb that the user types as a prompt: `/untildone:pause` or plain `pause`.

The verbs are cancel, pause, status, approve and continue. Only `continue` reaches the agent.
"""

from untildone.agents.events import Prompt
from untildone.core.concerns import name_approval
from untildone.engine import verbs
from untildone.engine.active_time import record_turn
from untildone.engine.approval import approve
from untildone.engine.context import Context
from untildone.engine.grants import parse_grant
from untildone.engine.open_questions import describe_open_questions
from untildone.engine.phrases import PromptVerb
from untildone.engine.receipts import describe_users_end
from untildone.engine.session_events import write_reminder
from untildone.errors import UserError
from untildone.report.notices import SLASH_CONTINUE, describe_pause, format_status_line
from untildone.store.loops import Record
from untildone.store.sessions import Session


def answer_verb(context: Context, session: Session, prompt: Prompt, command: PromptVerb) -> str:
    """Carry out the verb on the session's loop and return the hook's answer."""
    loop = session.get_loop_id()
    _require_loop(loop, command)
    match command.verb:
        case "cancel":
            notice = f"untildone: {describe_users_end(context, verbs.cancel(context, loop))}"
        case "pause":
            end = describe_users_end(context, verbs.pause(context, loop))
            notice = f"untildone: {end} | `/untildone:continue` resumes it"
        case "status":
            notice = _describe_status(context, loop)
        case "approve":
            notice = _approve(context, loop, command.rest)
        case "continue":
            # The loop is active again before the model sees the prompt and starts to work.
            grant = parse_grant(command.rest)
            if grant or not session.is_active():
                verbs.resume(context, loop, grant)
            return pass_resumed_prompt(context, session, prompt, context.loops.load(loop))
    return context.agent.consume_prompt(notice)


def _describe_status(context: Context, loop: str) -> str:
    """Return the status line, and below it what the loop asks, or how to resume it."""
    record = context.loops.load(loop)
    lines = describe_open_questions(context, record)
    if not lines and record.progress.status == "paused":
        lines = [describe_pause(record, in_session=True)]
    return "\n".join((format_status_line(record), *lines))


def _require_loop(loop: str, command: PromptVerb) -> None:
    """Raise UserError if the session has no loop, or the prompt names the id of another one."""
    if not loop:
        raise UserError("this session has no loop", hint="`untildone status` shows what runs")
    # `/untildone:cancel 1f3a`; the other verbs take other arguments.
    ids = command.rest.split() if command.verb in ("cancel", "pause", "status") else []
    if ids and not loop.startswith(ids[0]):
        raise UserError(
            f"this session's loop is `{loop}`, not `{ids[0]}`",
            hint=f"`untildone {command.verb} {ids[0]}` in your own terminal",
        )


def _approve(context: Context, loop: str, words: str) -> str:
    """Approve what the words name; return a notice for the user."""
    result = approve(context, context.loops.load(loop), tuple(words.split()))
    record = context.loops.load(loop)
    approved = ", ".join(map(name_approval, result.approved))
    always = f"; always from now on: {', '.join(result.always)}" if result.always else ""
    is_waiting = result.goes_on or (record.progress.status == "paused" and not result.left)
    wakes = f"; `{SLASH_CONTINUE}` wakes the agent" if is_waiting else ""
    left = describe_open_questions(context, record) if result.left else []
    told = f"untildone: approved {approved}{always}{wakes}"
    return "\n".join((told, *filter(None, (result.ending,)), *left))


def pass_resumed_prompt(context: Context, session: Session, prompt: Prompt, record: Record) -> str:
    """Return the answer that passes the prompt on, with a reminder of the resumed loop."""
    record_turn(session, record.progress, prompt=prompt.prompt, kind="continue")
    return context.agent.pass_prompt(
        prompt,
        context=write_reminder(record),
        notice=f"untildone: loop {record.contract.id} goes on",
    )
