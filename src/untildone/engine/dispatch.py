"""Which part of the pipeline answers an event that the lean entry could not."""

from untildone.agents import AGENTS
from untildone.engine.context import Context, context
from untildone.engine.duplicate_events import told_before
from untildone.engine.payload import Call
from untildone.engine.speaker import driven


def answer(call: Call) -> str:
    if call.agent not in AGENTS:
        return ""
    here = context(call.environ, home=call.home, agent=call.agent)
    once = ("UserPromptSubmit", "SessionStart", "PostToolUse")
    if call.event in once and told_before(here, call):
        return ""
    if _left_to_the_run(here, call):
        return ""
    # Imported by event: each pays only for what it needs.
    match call.event:
        case "Stop":
            from untildone.engine import stop

            return stop.answer(here, call)
        case "UserPromptSubmit":
            from untildone.engine import prompt

            return prompt.answer(here, call)
        case "PostToolUse":
            from untildone.features.edits import feedback

            return feedback.answer_edit(here, call)
        case "PostToolBatch":
            from untildone.features.budget import meter

            return meter.answer_tool_call(here, call)
        case "SessionStart" | "SessionEnd":
            from untildone.engine import session

            return session.answer(here, call)
        case _:
            return ""


def _left_to_the_run(here: Context, call: Call) -> bool:
    """Prompts and returns of a session that we drive are ours already; a compaction is not."""
    told = call.event in ("Stop", "UserPromptSubmit") or (
        call.event == "SessionStart" and call.text("source") != "compact"
    )
    known = call.text("session_id") or call.environ.get(here.agent.SESSION_VARIABLE, "")
    return told and driven(here.session(known))
