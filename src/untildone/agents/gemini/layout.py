"""Where Gemini CLI keeps its hooks."""

from untildone.agents.gemini import hooks
from untildone.agents.layout import Layout

# `PreCompress` is missing: this client sends it before every model request, whether it compresses
# or not.
_EVENTS = {
    "SessionStart": "SessionStart",
    "UserPromptSubmit": "BeforeAgent",
    "Stop": "AfterAgent",
    "SessionEnd": "SessionEnd",
    "PreToolUse": "BeforeTool",
    "PostToolUse": "AfterTool",
}

LAYOUT = Layout(
    title="Gemini CLI",
    program="gemini",
    folder=hooks.FOLDER,
    folder_variable=hooks.FOLDER_VARIABLE,
    files={"user": "settings.json", "project": f"{hooks.FOLDER}/settings.json"},
    events=_EVENTS,
    # Without a name the client shows the user the whole command line with each notice.
    extra_fields={event: {"name": "untildone"} for event in _EVENTS},
    timeouts={"Stop": 7_200, "SessionEnd": 10},
    units_per_second=1_000,
    command_file="commands/untildone/{name}.toml",
    transcript="tmp/*/chats/session-*-{session:.8}.jsonl",
)
