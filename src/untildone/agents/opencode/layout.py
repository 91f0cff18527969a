"""Where opencode keeps its plugins."""

from untildone.agents.layout import Layout
from untildone.agents.opencode import hooks

LAYOUT = Layout(
    title="opencode",
    program="opencode",
    folder=hooks.FOLDER,
    folder_variable=hooks.FOLDER_VARIABLE,
    files={"user": "plugins/untildone.js", "project": ".opencode/plugins/untildone.js"},
    events={
        event: event
        for event in (
            *("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"),
            *("PreToolUse", "PostToolUse"),
        )
    },
    timeouts={"Stop": 7_200},
    shape="module",
    command_file="commands/untildone/{name}.md",
    command="/untildone/{name}",
    command_arguments="$ARGUMENTS",
    next_step="restart opencode: it loads plugins when it starts",
)
