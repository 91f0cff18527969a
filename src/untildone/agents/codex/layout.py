"""Where Codex keeps its hooks."""

from untildone.agents.codex import hooks
from untildone.agents.layout import Layout

LAYOUT = Layout(
    title="Codex",
    program="codex",
    folder=hooks.FOLDER,
    folder_variable=hooks.FOLDER_VARIABLE,
    files={"user": "hooks.json", "project": f"{hooks.FOLDER}/hooks.json"},
    events={
        event: event
        for event in (
            *("SessionStart", "UserPromptSubmit", "Stop", "PreCompact"),
            *("SessionEnd", "PreToolUse", "PostToolUse"),
        )
    },
    # The client allows three seconds at the end of a session.
    timeouts={"Stop": 7_200, "SessionEnd": 3},
    # Skills: this version has no custom prompts, and refuses a slash command that it does not know.
    command_file="skills/untildone-{name}/SKILL.md",
    command_arguments="",
    command="$untildone-{name}",
    next_step="type `/hooks` in Codex and trust untildone's hooks: it runs no hook before that",
    trust_file="config.toml",
    transcript="sessions/*/*/*/rollout-*-{session}.jsonl",
)
