"""GitHub Copilot CLI: its hook payloads and answers, and its transcript."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from untildone.agents import payloads
from untildone.agents.agent import Hooks
from untildone.agents.copilot import hooks
from untildone.agents.copilot.layout import LAYOUT as LAYOUT
from untildone.agents.defaults import find_subagents_folder as find_subagents_folder
from untildone.agents.defaults import find_untrusted_hooks as find_untrusted_hooks
from untildone.agents.defaults import list_queued_input as list_queued_input
from untildone.agents.defaults import list_todo_paths as list_todo_paths
from untildone.agents.defaults import parse_todo_items as parse_todo_items
from untildone.agents.defaults import was_interrupted as was_interrupted
from untildone.agents.defaults import was_stop_interrupted as was_stop_interrupted
from untildone.agents.events import Prompt, Stop, Usage
from untildone.agents.json_fields import get_count, get_object, get_text, parse_object
from untildone.agents.payloads import parse_session_start as parse_session_start
from untildone.core.verdict import Continue, Finish, Ignore, Pause, Verdict, Wait

if TYPE_CHECKING:
    from untildone.agents.headless import Headless
    from untildone.agents.imitation import Imitation

NAME = "copilot"
HOOKS: Hooks = hooks
# The client ignores the ninth hold in a row, also if the agent has worked in between.
CAP = 8
# What the client makes of a command of ours, whose file is a skill.
_SKILL = re.compile(
    r'The user explicitly invoked the "/untildone-[\w-]+" skill\. .*?'
    r"<skill-context [^>]*>\n.*?\n\n(?P<text>/untildone:.*)",
    re.DOTALL,
)
_CONSUMED = (
    "[untildone] The user's prompt was a command for untildone, which has answered it. Repeat this"
    " answer in one short message and do nothing else:"
)


def load_imitation() -> "Imitation":
    # Imported here because only the drill needs it.
    from untildone.agents.copilot import imitation

    return imitation


def load_headless() -> "Headless":
    # Imported here because no hook runs a client.
    from untildone.agents.copilot import headless

    return headless


def is_headless(arguments: Sequence[str]) -> bool:
    return any(
        argument == "-p" or argument.startswith("--prompt") or argument == "--acp"
        for argument in arguments
    )


def parse_stop(payload: Mapping[str, Any], environ: Mapping[str, str]) -> Stop:
    return payloads.parse_stop(payload, environ, hooks, cap=CAP, cap_counts_calls=True)


def parse_prompt(payload: Mapping[str, Any], environ: Mapping[str, str]) -> Prompt:
    skill = _SKILL.match(get_text(payload, "prompt"))
    typed = {**payload, "prompt": skill["text"]} if skill else payload
    prompt = payloads.parse_prompt(typed, environ, hooks)
    return replace(prompt, model_text=get_text(payload, "transformedPrompt"))


def format_command(description: str, prompt: str) -> str:
    """Return a skill that only the user can call."""
    front = f"description: {description}\ndisable-model-invocation: true"
    return f"---\n{front}\n---\n{prompt}"


def format_reply(
    verdict: Verdict, *, feedback: str, notice: str, environ: Mapping[str, str]
) -> str:
    del environ
    match verdict:
        case Continue():
            # The client ignores a hold without a reason.
            hold = {"decision": "block", "reason": feedback or "untildone: not done"}
            return "\n".join((*_format_notice(notice), json.dumps(hold)))
        case Finish() | Pause() | Wait():
            return "".join(_format_notice(notice))
        case Ignore():
            return ""


def _format_notice(notice: str) -> tuple[str, ...]:
    return (hooks.notify(notice),) if notice else ()


def pass_prompt(prompt: Prompt, *, context: str, notice: str) -> str:
    """Return the prompt with the context behind it: the client takes it only as a new prompt."""
    text = {"modifiedTransformedPrompt": f"{prompt.model_text}\n\n{context}"}
    answers = (json.dumps(text),) if context and prompt.model_text else ()
    return "\n".join((*_format_notice(notice), *answers))


def consume_prompt(notice: str) -> str:
    """Return what the model reads in place of the prompt: the client cannot keep it back."""
    return json.dumps({"modifiedTransformedPrompt": f"{_CONSUMED}\n\n{notice}"})


def format_greeting(*, context: str, notice: str) -> str:
    return _add_context(context, notice)


def add_context_after_tool(context: str) -> str:
    return _add_context(context, "")


def _add_context(context: str, notice: str) -> str:
    answers = (json.dumps({"additionalContext": context}),) if context else ()
    return "\n".join((*_format_notice(notice), *answers))


def end_turn(notice: str) -> str:
    """Return the notice alone: no answer of a hook ends a turn of this client."""
    return hooks.notify(notice)


def parse_usage(line: bytes) -> Usage | None:
    """Return the tokens of a `session.usage_record` with a provider of the user's own."""
    entry = parse_object(line) if b'"session.usage_record"' in line else {}
    usage = get_object(get_object(entry, "data"), "usage")
    # GitHub's own models are not paid by the token.
    if usage.get("isByok") is not True:
        return None
    cached = get_count(usage, "cacheReadTokens")
    return Usage(
        id=get_text(entry, "id"),
        at=get_text(entry, "timestamp"),
        provider=get_text(usage, "providerType"),
        model=get_text(usage, "model"),
        input_tokens=max(get_count(usage, "inputTokens") - cached, 0),
        output_tokens=get_count(usage, "outputTokens"),
        cache_read_tokens=cached,
        cache_write_5m_tokens=get_count(usage, "cacheWriteTokens"),
    )


def find_message(transcript_tail: str) -> str:
    """Return the text of the last message with one."""
    for line in reversed(transcript_tail.splitlines()):
        entry = parse_object(line) if '"assistant.message"' in line else {}
        message = get_object(entry, "data")
        if entry.get("type") == "assistant.message" and message.get("content"):
            return get_text(message, "content")
    return ""


def find_failure(transcript_tail: str) -> str:
    """Return the error that the client recorded in place of an answer, such as `rate_limit`."""
    for line in reversed(transcript_tail.splitlines()):
        entry = parse_object(line)
        if entry.get("type") == "session.error":
            return get_text(get_object(entry, "data"), "errorType") or "unknown"
        if entry.get("type") in ("assistant.message", "user.message"):
            return ""
    return ""
