"""Claude Code: a Stop hook that answers with additional context to go on."""

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from untildone.agents.events import Prompt, SessionStarted, Stop, Usage
from untildone.core.evidence import Background
from untildone.core.verdict import Continue, Finish, Ignore, Pause, Verdict, Wait

if TYPE_CHECKING:
    from untildone.agents.headless import Headless

NAME = "claude"
SESSION_VARIABLE = "CLAUDE_CODE_SESSION_ID"
PROCESS_VARIABLE = "CLAUDE_PID"
CAP_VARIABLE = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
DEFAULT_CAP = 8
# Since this version a Stop hook's additional context keeps the agent going, is not shown to the
# person as an error, and reaches the model once; `decision: block` reaches it twice.
_ADDITIONAL_CONTEXT_SINCE = (2, 1, 163)
# Longer additional context reaches the model only as a preview and a path; a reason comes whole.
_LONGEST_CONTEXT = 9_900
_ENDS_BY_ITSELF = frozenset(("subagent", "workflow", "teammate"))
_AUTOMATIC = ("<task-notification>", "<system-reminder>")


def load_headless() -> "Headless":
    # Imported where it is used: no hook runs a client.
    from untildone.agents import claude_headless

    return claude_headless


def parse_stop(payload: Mapping[str, Any], environ: Mapping[str, str]) -> Stop:
    return Stop(
        session=_text(payload, "session_id"),
        cwd=_text(payload, "cwd"),
        project=environ.get("CLAUDE_PROJECT_DIR", ""),
        prompt=_text(payload, "prompt_id"),
        message=_text(payload, "last_assistant_message"),
        transcript=_text(payload, "transcript_path"),
        attended=_attended(environ),
        plan_mode=payload.get("permission_mode") == "plan",
        subagent=bool(payload.get("agent_id")) or payload.get("hook_event_name") == "SubagentStop",
        background=tuple(_background(task) for task in _dicts(payload, "background_tasks")),
        scheduled=tuple(_text(cron, "prompt") for cron in _dicts(payload, "session_crons")),
        held_before=payload.get("stop_hook_active") is not False,
        cap=_cap(environ),
    )


def _background(task: Mapping[str, Any]) -> Background:
    kind = _text(task, "type")
    what = _text(task, "description") or _text(task, "command") or kind
    return Background(id=_text(task, "id"), description=what, ends=kind in _ENDS_BY_ITSELF)


def _cap(environ: Mapping[str, str]) -> int:
    value = environ.get(CAP_VARIABLE, "")
    return int(value) if value.isdecimal() else DEFAULT_CAP


def parse_prompt(payload: Mapping[str, Any], environ: Mapping[str, str]) -> Prompt:
    text = _text(payload, "prompt")
    return Prompt(
        session=_text(payload, "session_id"),
        text=text,
        cwd=_text(payload, "cwd"),
        project=environ.get("CLAUDE_PROJECT_DIR", ""),
        prompt=_text(payload, "prompt_id"),
        attended=_attended(environ),
        automatic=text.lstrip().startswith(_AUTOMATIC),
    )


def _attended(environ: Mapping[str, str]) -> bool:
    value = environ.get("CLAUDE_CODE_SESSION_ATTENDED")
    if value is None:
        return environ.get("CLAUDE_CODE_ENTRYPOINT", "cli") == "cli"
    return value == "1"


def parse_session_start(payload: Mapping[str, Any]) -> SessionStarted:
    return SessionStarted(session=_text(payload, "session_id"), source=_text(payload, "source"))


def format_reply(
    verdict: Verdict, *, feedback: str, notice: str, environ: Mapping[str, str]
) -> str:
    match verdict:
        case Continue():
            return json.dumps({**_hold(feedback, environ), **_message(notice)})
        case Finish() | Pause() | Wait():
            return json.dumps(_message(notice)) if notice else ""
        case Ignore():
            return ""


def _hold(feedback: str, environ: Mapping[str, str]) -> dict[str, Any]:
    whole = len(feedback) <= _LONGEST_CONTEXT
    if whole and _version(environ) >= _ADDITIONAL_CONTEXT_SINCE:
        return _context("Stop", feedback)
    return {"decision": "block", "reason": feedback}


def _version(environ: Mapping[str, str]) -> tuple[int, ...]:
    """From `AI_AGENT=claude-code_2-1-325_harness`; unknown is old."""
    _, _, rest = environ.get("AI_AGENT", "").partition("claude-code_")
    parts = rest.partition("_")[0].split("-")
    return tuple(int(part) for part in parts if part.isdecimal())


def _context(event: str, text: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _message(notice: str) -> dict[str, str]:
    return {"systemMessage": notice} if notice else {}


def pass_prompt(*, context: str, notice: str) -> str:
    return _answer("UserPromptSubmit", context, notice)


def consume_prompt(notice: str) -> str:
    hidden = {"hookEventName": "UserPromptSubmit", "suppressOriginalPrompt": True}
    return json.dumps({"decision": "block", "reason": notice, "hookSpecificOutput": hidden})


def format_greeting(*, context: str, notice: str) -> str:
    return _answer("SessionStart", context, notice)


def add_context_after_tool(context: str) -> str:
    return _answer("PostToolUse", context, "")


def _answer(event: str, context: str, notice: str) -> str:
    answer = {**(_context(event, context) if context else {}), **_message(notice)}
    return json.dumps(answer) if answer else ""


def end_turn(notice: str) -> str:
    # The reason is told to the model when the person goes on, the message to the person now.
    return json.dumps({"continue": False, "stopReason": notice, **_message(notice)})


def parse_usage(line: bytes) -> Usage | None:
    # Imported where it is used: where the client tells its cost, nobody reads its transcript.
    from untildone.agents import claude_usage

    return claude_usage.parse_usage(line)


def find_subagents_folder(transcript: str) -> str:
    return f"{transcript.removesuffix('.jsonl')}/subagents"


def has_queued_input(transcript_tail: str) -> bool:
    """Something the person typed was put into the queue and not taken out since."""
    waiting: list[str] = []
    for entry in _queue_operations(transcript_tail):
        content = _text(entry, "content")
        match entry.get("operation"):
            case "enqueue":
                waiting.append(content)
            case "popAll":
                waiting.clear()
            case "remove" if content in waiting:
                waiting.remove(content)
            case _:
                # `dequeue` names nothing: the queue is first in, first out.
                del waiting[:1]
    return any(not text.lstrip().startswith(_AUTOMATIC) for text in waiting)


def _queue_operations(transcript_tail: str) -> Iterator[Mapping[str, Any]]:
    for line in transcript_tail.splitlines():
        if '"queue-operation"' not in line:
            continue
        entry = _entry(line)
        if entry.get("type") == "queue-operation":
            yield entry


def was_interrupted(transcript_tail: str) -> bool:
    """The last entry of the conversation says that the person pressed Esc."""
    entry = _last_entry(transcript_tail)
    return entry.get("type") == "user" and "interruptedMessageId" in entry


def find_failure(transcript_tail: str) -> str:
    """The last entry is the client's own, in place of an answer: `rate_limit`, `billing_error`."""
    entry = _last_entry(transcript_tail)
    if entry.get("isApiErrorMessage") is not True:
        return ""
    return _text(entry, "error") or "unknown"


def list_todo_paths(session: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """A folder with a file for each task; versions before it kept one file."""
    person = environ.get("HOME") or environ.get("USERPROFILE", "")
    config = environ.get("CLAUDE_CONFIG_DIR") or f"{person}/.claude"
    return f"{config}/tasks/{session}", f"{config}/todos/{session}-agent-{session}.json"


def parse_todo_items(value: object) -> tuple[tuple[str, str], ...] | None:
    if isinstance(value, dict):
        if value.get("tool_name") == "TodoWrite":
            given = value.get("tool_input")
            return parse_todo_items(given.get("todos")) if isinstance(given, dict) else None
        return ((_text(value, "subject"), _text(value, "status")),) if "subject" in value else None
    if not isinstance(value, list):
        return None
    items = [item for item in value if isinstance(item, dict)]
    return tuple((_text(item, "content"), _text(item, "status")) for item in items)


def _last_entry(transcript_tail: str) -> dict[str, Any]:
    for line in reversed(transcript_tail.splitlines()):
        entry = _entry(line)
        if entry.get("type") in ("user", "assistant"):
            return entry
    return {}


def _entry(line: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def _text(payload: Mapping[str, Any], key: str) -> str:
    value = payload.get(key)
    return value if isinstance(value, str) else ""


def _dicts(payload: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    value = payload.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
