"""Claude Code: its hook payloads and answers, and its transcript."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from untildone.agents import payloads
from untildone.agents.agent import Hooks
from untildone.agents.claude import hooks
from untildone.agents.claude.layout import LAYOUT as LAYOUT
from untildone.agents.defaults import find_message as find_message
from untildone.agents.defaults import find_untrusted_hooks as find_untrusted_hooks
from untildone.agents.defaults import format_command as format_command
from untildone.agents.defaults import is_headless as is_headless
from untildone.agents.events import Prompt, Stop, Usage
from untildone.agents.json_fields import get_text, parse_object
from untildone.agents.payloads import parse_session_start as parse_session_start
from untildone.core.verdict import Continue, Finish, Ignore, Pause, Verdict, Wait

if TYPE_CHECKING:
    from untildone.agents.headless import Headless
    from untildone.agents.imitation import Imitation

NAME = "claude"
HOOKS: Hooks = hooks
CAP_VARIABLE = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
DEFAULT_CAP = 8
# Since this version a Stop hook can hold the agent with additional context, which is not shown to
# the user as an error and reaches the model once; `decision: block` reaches it twice.
_ADDITIONAL_CONTEXT_SINCE = (2, 1, 163)
# The model sees only a preview of longer additional context, but the whole of a reason.
_LONGEST_CONTEXT = 9_900
_AUTOMATIC = ("<task-notification>", "<system-reminder>")


def load_imitation() -> "Imitation":
    # Imported here because only the drill needs it.
    from untildone.agents.claude import imitation

    return imitation


def load_headless() -> "Headless":
    # Imported here because no hook runs a client.
    from untildone.agents.claude import headless

    return headless


def parse_stop(payload: Mapping[str, Any], environ: Mapping[str, str]) -> Stop:
    return payloads.parse_stop(
        payload,
        environ,
        hooks,
        attended=_is_attended(environ),
        shown=_is_on_screen(environ),
        cap=read_cap(environ),
    )


def read_cap(environ: Mapping[str, str]) -> int:
    """Return how many holds in a row without a tool call the client allows; 0 means no cap."""
    value = environ.get(CAP_VARIABLE, "")
    return int(value) if value.isdecimal() else DEFAULT_CAP


def parse_prompt(payload: Mapping[str, Any], environ: Mapping[str, str]) -> Prompt:
    attended = _is_attended(environ)
    return payloads.parse_prompt(payload, environ, hooks, attended=attended, automatic=_AUTOMATIC)


def _is_attended(environ: Mapping[str, str]) -> bool:
    value = environ.get(hooks.ATTENDED_VARIABLE)
    if value is None:
        return environ.get("CLAUDE_CODE_ENTRYPOINT", "cli") == "cli"
    return value == "1"


def _is_on_screen(environ: Mapping[str, str]) -> bool:
    """Say whether this is the client in a terminal, which prints everything that a hold says."""
    known = environ.keys() & {hooks.ATTENDED_VARIABLE, "CLAUDE_CODE_ENTRYPOINT"}
    return bool(known) and _is_attended(environ)


def format_reply(
    verdict: Verdict, *, feedback: str, notice: str, environ: Mapping[str, str]
) -> str:
    match verdict:
        case Continue():
            return json.dumps({**_format_hold(feedback, environ), **_format_message(notice)})
        case Finish() | Pause() | Wait():
            return json.dumps(_format_message(notice)) if notice else ""
        case Ignore():
            return ""


def _format_hold(feedback: str, environ: Mapping[str, str]) -> dict[str, Any]:
    is_short = len(feedback) <= _LONGEST_CONTEXT
    if is_short and _parse_version(environ) >= _ADDITIONAL_CONTEXT_SINCE:
        return _format_context("Stop", feedback)
    return {"decision": "block", "reason": feedback}


def _parse_version(environ: Mapping[str, str]) -> tuple[int, ...]:
    """Parse `AI_AGENT=claude-code_2-1-325_harness` to (2, 1, 325); unknown is old."""
    _, _, rest = environ.get("AI_AGENT", "").partition("claude-code_")
    parts = rest.partition("_")[0].split("-")
    return tuple(int(part) for part in parts if part.isdecimal())


def _format_context(event: str, text: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _format_message(notice: str) -> dict[str, str]:
    return {"systemMessage": notice} if notice else {}


def pass_prompt(_prompt: Prompt, *, context: str, notice: str) -> str:
    return _format_answer("UserPromptSubmit", context, notice)


def consume_prompt(notice: str) -> str:
    hidden = {"hookEventName": "UserPromptSubmit", "suppressOriginalPrompt": True}
    return json.dumps({"decision": "block", "reason": notice, "hookSpecificOutput": hidden})


def format_greeting(*, context: str, notice: str) -> str:
    return _format_answer("SessionStart", context, notice)


def add_context_after_tool(context: str) -> str:
    return _format_answer("PostToolUse", context, "")


def _format_answer(event: str, context: str, notice: str) -> str:
    answer = {**(_format_context(event, context) if context else {}), **_format_message(notice)}
    return json.dumps(answer) if answer else ""


def end_turn(notice: str) -> str:
    # The model sees the reason with the next prompt; the user sees the message now.
    return json.dumps({"continue": False, "stopReason": notice, **_format_message(notice)})


def parse_usage(line: bytes) -> Usage | None:
    # Imported here because the transcript is read only if the client reports no cost.
    from untildone.agents.claude import usage

    return usage.parse_usage(line)


def find_subagents_folder(transcript: str) -> str:
    return f"{transcript.removesuffix('.jsonl')}/subagents"


def list_queued_input(transcript_tail: str) -> tuple[str, ...]:
    """Return what the user typed and what is still in the client's queue, the oldest first."""
    queue: list[str] = []
    lines = (line for line in transcript_tail.splitlines() if '"queue-operation"' in line)
    for entry in map(parse_object, lines):
        if entry.get("type") != "queue-operation":
            continue
        content = get_text(entry, "content")
        match entry.get("operation"):
            case "enqueue":
                queue.append(content)
            case "popAll":
                queue.clear()
            case "remove" if content in queue:
                queue.remove(content)
            case _:
                # `dequeue` has no content: the queue is first in, first out.
                del queue[:1]
    return tuple(text for text in queue if not text.lstrip().startswith(_AUTOMATIC))


def was_interrupted(transcript_tail: str) -> bool:
    """Say whether the last entry of the conversation records that the user pressed Esc."""
    entry = _find_last_entry(transcript_tail)
    return entry.get("type") == "user" and "interruptedMessageId" in entry


def was_stop_interrupted(transcript_tail: str) -> bool:
    """Say whether the user pressed Esc while the client waited for the last Stop hook."""
    for line in reversed(transcript_tail.splitlines()):
        entry = parse_object(line)
        attachment = entry.get("attachment")
        if isinstance(attachment, dict) and attachment.get("hookEvent") == "Stop":
            return attachment.get("type") == "hook_cancelled"
        if entry.get("type") == "assistant":
            return False
    return False


def find_failure(transcript_tail: str) -> str:
    """Return the error that the client recorded in place of an answer, such as `rate_limit`."""
    entry = _find_last_entry(transcript_tail)
    if entry.get("isApiErrorMessage") is not True:
        return ""
    return get_text(entry, "error") or "unknown"


def list_todo_paths(session: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return a folder with a file for each task, and the single file of older versions."""
    home = environ.get("HOME") or environ.get("USERPROFILE", "")
    config = environ.get("CLAUDE_CONFIG_DIR") or f"{home}/.claude"
    return f"{config}/tasks/{session}", f"{config}/todos/{session}-agent-{session}.json"


def parse_todo_items(value: object) -> tuple[tuple[str, str], ...] | None:
    """Return text and status of each item; None if the value is no todo list."""
    if isinstance(value, dict):
        if value.get("tool_name") == "TodoWrite":
            inputs = value.get("tool_input")
            return parse_todo_items(inputs.get("todos")) if isinstance(inputs, dict) else None
        item = get_text(value, "subject"), get_text(value, "status")
        return (item,) if "subject" in value else None
    if not isinstance(value, list):
        return None
    items = [item for item in value if isinstance(item, dict)]
    return tuple((get_text(item, "content"), get_text(item, "status")) for item in items)


def _find_last_entry(transcript_tail: str) -> dict[str, Any]:
    for line in reversed(transcript_tail.splitlines()):
        entry = parse_object(line)
        if entry.get("type") in ("user", "assistant"):
            return entry
    return {}
