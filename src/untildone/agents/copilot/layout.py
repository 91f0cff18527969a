"""Where Copilot keeps its hooks."""

from untildone.agents.copilot import hooks
from untildone.agents.layout import Layout

_FILE = hooks.SETTINGS[0]

LAYOUT = Layout(
    title="GitHub Copilot CLI",
    program="copilot",
    folder=hooks.FOLDER,
    folder_variable=hooks.FOLDER_VARIABLE,
    files={"user": _FILE, "project": f".github/{_FILE}"},
    events={
        "SessionStart": "sessionStart",
        # The answer to `userPromptSubmitted` is dropped.
        "UserPromptSubmit": "userPromptTransformed",
        "Stop": "agentStop",
        "PreCompact": "preCompact",
        "SessionEnd": "sessionEnd",
        "PreToolUse": "preToolUse",
        "PostToolUse": "postToolUse",
        "PostToolUseFailure": "postToolUseFailure",
    },
    timeouts={"Stop": 7_200},
    timeout_key="timeoutSec",
    shape="flat",
    new_file='{\n  "version": 1\n}\n',
    # A skill's name cannot have a colon.
    command_file="skills/untildone-{name}/SKILL.md",
    command="/untildone-{name}",
    command_arguments="$ARGUMENTS",
    transcript="session-state/{session}/events.jsonl",
)
