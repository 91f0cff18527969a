"""Answers of a hook in the JSON that several clients read."""

import json

from untildone.core.verdict import Continue, Finish, Ignore, Pause, Verdict, Wait


def format_stop(verdict: Verdict, *, feedback: str, notice: str) -> str:
    """Return the answer to a stop: only `Continue` holds the agent."""
    match verdict:
        case Continue():
            hold = {"decision": "block", "reason": feedback or "untildone: not done"}
            return json.dumps({**hold, **_format_message(notice)})
        case Finish() | Pause() | Wait():
            return json.dumps(_format_message(notice)) if notice else ""
        case Ignore():
            return ""


def block(reason: str) -> str:
    return json.dumps({"decision": "block", "reason": reason})


def add_context(event: str, context: str, notice: str) -> str:
    """Return context for the model, in the client's event of this name, and a line for the user."""
    specific = {"hookEventName": event, "additionalContext": context}
    answer = {**({"hookSpecificOutput": specific} if context else {}), **_format_message(notice)}
    return json.dumps(answer) if answer else ""


def _format_message(notice: str) -> dict[str, str]:
    return {"systemMessage": notice} if notice else {}
