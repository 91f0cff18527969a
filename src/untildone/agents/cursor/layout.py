"""Where Cursor keeps its hooks."""

from untildone.agents.cursor import hooks
from untildone.agents.layout import Layout

_FILE = hooks.SETTINGS[0]

LAYOUT = Layout(
    title="Cursor",
    program="cursor-agent",
    folder=hooks.FOLDER,
    files={"user": _FILE, "project": f"{hooks.FOLDER}/{_FILE}"},
    events={
        "SessionStart": "sessionStart",
        "UserPromptSubmit": "beforeSubmitPrompt",
        "AgentResponse": "afterAgentResponse",
        "Stop": "stop",
        "PreCompact": "preCompact",
        "SessionEnd": "sessionEnd",
        "PreToolUse": "preToolUse",
        "PostToolUse": "postToolUse",
        "PostToolUseFailure": "postToolUseFailure",
    },
    timeouts={"Stop": 7_200},
    # Sources disagree on the unit: read as seconds, these are only longer.
    units_per_second=1_000,
    # Without it, the client asks no hook after the fifth hold.
    extra_fields={"Stop": {"loop_limit": None}},
    shape="flat",
    new_file='{\n  "version": 1\n}\n',
    caveat="not tried with the real client: it follows Cursor's documentation",
)
