"""Answers of a hook in the JSON that several clients read.

An agent's module imports those that fit its client.
"""

import json
from collections.abc import Mapping

from untildone.agents.events import Prompt
from untildone.core.verdict import Continue, Finish, Ignore, Pause, Verdict, Wait


def format_reply(
    verdict: Verdict, *, feedback: str, notice: str, environ: Mapping[str, str]
) -> str:
    """Return the answer to a stop: only `Continue` holds the agent."""
    del environ
    match verdict:
        case Continue():
            hold = {"decision": "block", "reason": feedback or "untildone: not done"}
            return json.dumps({**hold, **_format_message(notice)})
        case Finish() | Pause() | Wait():
            return json.dumps(_format_message(notice)) if notice else ""
        case Ignore():
            return ""


def pass_prompt(_prompt: Prompt, *, context: str, notice: str) -> str:
    return add_context("UserPromptSubmit", context, notice)


def consume_prompt(notice: str) -> str:
    return json.dumps({"decision": "block", "reason": notice})


def format_greeting(*, context: str, notice: str) -> str:
    return add_context("SessionStart", context, notice)


def add_context_after_tool(context: str) -> str:
    return add_context("PostToolUse", context, "")


def end_turn(notice: str) -> str:
    return json.dumps({"continue": False, "stopReason": notice, **_format_message(notice)})


def add_context(event: str, context: str, notice: str) -> str:
    """Return context for the model, in the client's event of this name, and a line for the user."""
    specific = {"hookEventName": event, "additionalContext": context}
    answer = {**({"hookSpecificOutput": specific} if context else {}), **_format_message(notice)}
    return json.dumps(answer) if answer else ""


def _format_message(notice: str) -> dict[str, str]:
    return {"systemMessage": notice} if notice else {}
