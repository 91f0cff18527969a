"""Events read from a hook's payload in the words that all hooks use (`Hooks.translate`)."""

from collections.abc import Mapping
from typing import Any

from untildone.agents.agent import Hooks
from untildone.agents.events import Prompt, SessionStarted, Stop
from untildone.agents.json_fields import get_objects, get_text
from untildone.core.evidence import Background

# In clients whose hooks see a command's text and not what was typed, the text begins with
# `/untildone:NAME ARGUMENTS`, and this line separates that from what the agent reads.
COMMAND_END = "[untildone] The loop is started. What follows is for the agent."
_ENDS_BY_ITSELF = frozenset(("subagent", "workflow", "teammate"))


def parse_stop(
    payload: Mapping[str, Any],
    environ: Mapping[str, str],
    hooks: Hooks,
    *,
    attended: bool = True,
    shown: bool = False,
    cap: int = 0,
    cap_counts_calls: bool = False,
) -> Stop:
    return Stop(
        session=get_text(payload, "session_id"),
        cwd=get_text(payload, "cwd"),
        project=environ.get(hooks.PROJECT_VARIABLE, ""),
        prompt=get_text(payload, "prompt_id"),
        message=get_text(payload, "last_assistant_message"),
        transcript=get_text(payload, "transcript_path"),
        attended=attended,
        shown=shown,
        plan_mode=payload.get("permission_mode") == "plan",
        subagent=bool(payload.get("agent_id")) or payload.get("hook_event_name") == "SubagentStop",
        background=tuple(
            _parse_background(task) for task in get_objects(payload, "background_tasks")
        ),
        scheduled=tuple(get_text(cron, "prompt") for cron in get_objects(payload, "session_crons")),
        held_before=payload.get("stop_hook_active") is not False,
        cap=cap,
        cap_counts_calls=cap_counts_calls,
    )


def _parse_background(task: Mapping[str, Any]) -> Background:
    kind = get_text(task, "type")
    text = get_text(task, "description") or get_text(task, "command") or kind
    return Background(id=get_text(task, "id"), description=text, ends=kind in _ENDS_BY_ITSELF)


def parse_prompt(
    payload: Mapping[str, Any],
    environ: Mapping[str, str],
    hooks: Hooks,
    *,
    attended: bool = True,
    automatic: tuple[str, ...] = (),
) -> Prompt:
    """Return the prompt; one that begins with a text of `automatic` is the client's own."""
    text = get_text(payload, "prompt").partition(COMMAND_END)[0]
    return Prompt(
        session=get_text(payload, "session_id"),
        text=text,
        cwd=get_text(payload, "cwd"),
        project=environ.get(hooks.PROJECT_VARIABLE, ""),
        prompt=get_text(payload, "prompt_id"),
        attended=attended,
        automatic=bool(automatic) and text.lstrip().startswith(automatic),
    )


def parse_session_start(payload: Mapping[str, Any]) -> SessionStarted:
    return SessionStarted(
        session=get_text(payload, "session_id"), source=get_text(payload, "source")
    )
