"""Passes an event of the agent's client to the module that answers it.

Most events are answered before, by the lean handlers of `hooks/`; only the others get here.
"""

from untildone.engine.context import Context
from untildone.engine.duplicate_events import is_duplicate_event
from untildone.engine.feature import load_used_features
from untildone.engine.payload import Call
from untildone.engine.scope import Scope
from untildone.engine.speaker import is_driven

# A stop is not among them: `stop` itself finds out whether it was reported twice.
_ANSWERED_ONCE = ("UserPromptSubmit", "SessionStart", "PostToolUse")


def answer_event(context: Context, call: Call) -> str:
    """Return what the hook prints; an empty text if the event needs no answer."""
    if call.event in _ANSWERED_ONCE and is_duplicate_event(context, call):
        return ""
    if _is_handled_by_run(context, call):
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


def _is_handled_by_run(context: Context, call: Call) -> bool:
    """Say whether `untildone run` drives the session and handles this event itself.

    It does so for prompts, stops and the start of its session, but does not see a compaction.
    """
    is_prompt_or_stop = call.event in ("Stop", "UserPromptSubmit")
    is_start = call.event == "SessionStart" and call.text("source") != "compact"
    return (is_prompt_or_stop or is_start) and is_driven(context.session(call.session))
