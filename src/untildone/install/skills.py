"""Slash commands and subagents, for the plugin and for `init`; their texts are in `texts/`."""

from importlib.resources import files

from untildone.agents.agent import Agent
from untildone.agents.claude.permissions import LOOP_PERMISSIONS
from untildone.agents.payloads import COMMAND_END

LOOP_COMMANDS = ("build", "test", "lint", "ship", "fix", "loop")
USER_COMMANDS = ("cancel", "pause", "continue", "approve")
PLAN_COMMANDS = ("plan-feature", "implement-task", "implement-feature")
# Commands for clients without skills and subagents of ours.
PLAIN_COMMANDS = (*LOOP_COMMANDS, "status", *USER_COMMANDS)
NAMES = (*LOOP_COMMANDS, *PLAN_COMMANDS, "status", *USER_COMMANDS)
AGENTS = ("task-planner", "task-verifier", "planning-validator")
# What the client puts before the name of a plugin's subagent, and what we do: `init` installs
# subagents beside the user's own, with whose names ours must not clash.
PLUGIN_SUBAGENTS = "untildone:"
OWN_SUBAGENTS = "untildone-"

# These only change the plan; `plan start` is missing because it runs the plan's commands.
_PLAN_PERMISSIONS = (
    "Bash(untildone start --template refine-plan:*)",
    *(f"Bash(untildone plan {verb}:*)" for verb in ("init", "validate", "refine", "render")),
)

# Stands for the arguments where the client does not put them into the text.
_TYPED = "(what the user typed behind the command)"
_END_OF_FRONT_MATTER = "\n---\n"


def build_command(name: str, *, subagents: str = OWN_SUBAGENTS) -> str:
    """Return the text of a slash command; `subagents` begins the names of our subagents."""
    return _build_command(name).replace("{subagents}", subagents)


def _build_command(name: str) -> str:
    """Return the text with what its kind shares."""
    text = _read_text(name)
    if name in LOOP_COMMANDS:
        shared = _read_text("working").replace("{preset}", name)
        return f"{_add_permissions(text)}\n{shared}"
    if name in PLAN_COMMANDS:
        shared = "" if name == "plan-feature" else f"\n{_read_text('planning')}"
        return f"{_add_permissions(text, *_PLAN_PERMISSIONS)}{shared}"
    if name in USER_COMMANDS:
        return f"{text}\n{_read_text('user-command').replace('{verb}', name)}"
    return text


def build_plugin_skills() -> dict[str, str]:
    """Return the files by their path in the plugin; the client calls them `/untildone:NAME`."""
    skills = {
        f"skills/{name}/SKILL.md": build_command(name, subagents=PLUGIN_SUBAGENTS) for name in NAMES
    }
    return skills | {f"agents/{name}.md": build_agent(name, name) for name in AGENTS}


def build_command_files(agent: Agent) -> dict[str, str]:
    """Return the files by their path in the client's settings folder."""
    if agent.NAME == "claude":
        return _build_claude_files()
    layout = agent.LAYOUT
    if not layout.command_file:
        return {}
    return {
        layout.command_file.format(name=name): _build_plain_command(agent, name)
        for name in PLAIN_COMMANDS
    }


def _build_plain_command(agent: Agent, name: str) -> str:
    """Return a command; where its text is the prompt, the hook reads the first line."""
    front, _, body = build_command(name).partition(_END_OF_FRONT_MATTER)
    description = next(
        line.removeprefix("description: ")
        for line in front.splitlines()
        if line.startswith("description: ")
    )
    arguments = agent.LAYOUT.command_arguments
    begin = f"/untildone:{name} {arguments}\n{COMMAND_END}\n" if arguments else ""
    text = body.strip().replace("$ARGUMENTS", arguments or _TYPED)
    return agent.format_command(description, f"{begin}{text}\n")


def _build_claude_files() -> dict[str, str]:
    """Return commands and subagents.

    A skill there cannot have a colon in its name, but a command in a folder is `/untildone:NAME`.
    """
    commands = {f"commands/untildone/{name}.md": build_command(name) for name in NAMES}
    agents = {f"{OWN_SUBAGENTS}{name}": name for name in AGENTS}
    return commands | {
        f"agents/{title}.md": build_agent(name, title) for title, name in agents.items()
    }


def build_agent(name: str, title: str) -> str:
    """Return the agent's text; outside of the plugin its name must not clash with the user's."""
    return _read_text(f"agents/{name}").replace("{name}", title)


def _read_text(name: str) -> str:
    return files("untildone.install").joinpath("texts", f"{name}.md").read_text(encoding="utf-8")


def _add_permissions(skill: str, *more: str) -> str:
    front, end, body = skill.partition(_END_OF_FRONT_MATTER)
    return f"{front}\nallowed-tools: {', '.join((*LOOP_PERMISSIONS, *more))}{end}{body}"
