"""Where Qwen Code keeps its hooks."""

from untildone.agents.layout import Layout
from untildone.agents.qwen import hooks

# After this many holds of one prompt the client ends the turn; 100 is the most it takes.
CAP_VARIABLE = "QWEN_CODE_STOP_HOOK_BLOCK_CAP"
CAP = 100

LAYOUT = Layout(
    title="Qwen Code",
    program="qwen",
    folder=hooks.FOLDER,
    folder_variable=hooks.FOLDER_VARIABLE,
    files={"user": "settings.json", "project": f"{hooks.FOLDER}/settings.json"},
    events={
        event: event
        for event in (
            *("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"),
            *("PreToolUse", "PostToolUse", "PostToolUseFailure"),
        )
    },
    timeouts={"Stop": 7_200, "SessionEnd": 10},
    units_per_second=1_000,
    variables={CAP_VARIABLE: str(CAP)},
    command_file="commands/untildone/{name}.md",
    transcript="projects/*/chats/{session}.jsonl",
)
