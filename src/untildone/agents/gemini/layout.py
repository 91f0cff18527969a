"""Where Gemini CLI keeps its hooks."""

from untildone.agents.gemini import hooks
from untildone.agents.layout import Layout

LAYOUT = Layout(
    title="Gemini CLI",
    program="gemini",
    folder=hooks.FOLDER,
    folder_variable=hooks.FOLDER_VARIABLE,
    files={"user": "settings.json", "project": f"{hooks.FOLDER}/settings.json"},
    # `PreCompress` is missing: this client sends it before every model request, whether it
    # compresses or not.
    events={
        "SessionStart": "SessionStart",
        "UserPromptSubmit": "BeforeAgent",
        "Stop": "AfterAgent",
        "SessionEnd": "SessionEnd",
        "PreToolUse": "BeforeTool",
        "PostToolUse": "AfterTool",
    },
    timeouts={"Stop": 7_200, "SessionEnd": 10},
    units_per_second=1_000,
    command_file="commands/untildone/{name}.toml",
)
