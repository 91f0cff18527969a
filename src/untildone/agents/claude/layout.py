"""Where Claude Code keeps its hooks."""

from untildone.agents.claude import hooks
from untildone.agents.layout import Layout

_USER, _LOCAL = hooks.SETTINGS

LAYOUT = Layout(
    title="Claude Code",
    program="claude",
    folder=hooks.FOLDER,
    folder_variable=hooks.FOLDER_VARIABLE,
    files={
        "user": _USER,
        "project": f"{hooks.FOLDER}/{_USER}",
        "local": f"{hooks.FOLDER}/{_LOCAL}",
    },
    events={
        event: event
        for event in (
            *("SessionStart", "UserPromptSubmit", "Stop", "ConfigChange", "PreCompact"),
            *("SessionEnd", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch"),
        )
    },
    timeouts={"Stop": 7_200, "SessionEnd": 10},
)
