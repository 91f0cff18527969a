"""Which part of the pipeline answers an event that the lean entry could not."""

from untildone.engine.context import Context
from untildone.engine.duplicate_events import is_duplicate_event
from untildone.engine.feature import load_used_features
from untildone.engine.payload import Call
from untildone.engine.scope import Scope
from untildone.engine.speaker import is_driven

_ANSWERED_ONCE = ("UserPromptSubmit", "SessionStart", "PostToolUse")


def answer_event(context: Context, call: Call) -> str:
    """What the hook prints; nothing for an event that was answered or is left to a run."""
    if call.event in _ANSWERED_ONCE and is_duplicate_event(context, call):
        return ""
    if _is_left_to_the_run(context, call):
        return ""
    # Imported by event: each pays only for what it needs.
    match call.event:
        case "Stop":
            from untildone.engine import stop

            return stop.answer_stop(context, call)
        case "UserPromptSubmit":
            from untildone.engine import prompt

            return prompt.answer_prompt(context, call)
        case "SessionStart" | "SessionEnd":
            from untildone.engine import session_events

            return session_events.answer_session(context, call)
        case _:
            features = load_used_features(context, Scope(event=call.event))
            return next(
                filter(None, (feature.answer_event(context, call) for feature in features)), ""
            )


def _is_left_to_the_run(context: Context, call: Call) -> bool:
    """A headless run handles prompts and stops of its session itself, but not a compaction."""
    handled = call.event in ("Stop", "UserPromptSubmit") or (
        call.event == "SessionStart" and call.text("source") != "compact"
    )
    session = call.text("session_id") or call.environ.get(context.agent.SESSION_VARIABLE, "")
    return handled and is_driven(context.session(session))
