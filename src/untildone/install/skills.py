"""Slash commands and subagents, for the plugin and for `init`; their texts are in `texts/`."""

from importlib.resources import files

from untildone.agents.permissions import PERMISSIONS

LOOP_COMMANDS = ("build", "test", "lint", "ship", "fix", "loop")
USER_COMMANDS = ("cancel", "pause", "continue", "approve")
PLAN_COMMANDS = ("plan-feature", "implement-task", "implement-feature")
NAMES = (*LOOP_COMMANDS, *PLAN_COMMANDS, "status", *USER_COMMANDS)
AGENTS = ("task-planner", "task-verifier", "planning-validator")

# These only change the plan; `plan start` is missing because it runs the plan's commands.
_PLAN_PERMISSIONS = (
    "Bash(untildone start --template refine-plan:*)",
    *(
        f"Bash(untildone plan {verb}:*)"
        for verb in ("init", "validate", "next", "show", "refine", "render")
    ),
)

_END_OF_FRONT_MATTER = "\n---\n"


def build_command(name: str) -> str:
    own = _read_text(name)
    if name in LOOP_COMMANDS:
        shared = _read_text("working").replace("{preset}", name)
        return f"{_add_permissions(own)}\n{shared}"
    if name in PLAN_COMMANDS:
        shared = "" if name == "plan-feature" else f"\n{_read_text('planning')}"
        return f"{_add_permissions(own, *_PLAN_PERMISSIONS)}{shared}"
    if name in USER_COMMANDS:
        return f"{own}\n{_read_text('user-command').replace('{verb}', name)}"
    return own


def build_plugin_skills() -> dict[str, str]:
    """The files by their path in the plugin; the client calls them `/untildone:NAME`."""
    made = {f"skills/{name}/SKILL.md": build_command(name) for name in NAMES}
    return made | {f"agents/{name}.md": build_agent(name, name) for name in AGENTS}


def build_command_files() -> dict[str, str]:
    """The files by their path in the client's settings folder.

    A skill there cannot have a colon in its name, but a command in a folder is `/untildone:NAME`.
    """
    made = {f"commands/untildone/{name}.md": build_command(name) for name in NAMES}
    agents = {name: f"untildone-{name}" for name in AGENTS}
    return made | {f"agents/{own}.md": build_agent(name, own) for name, own in agents.items()}


def build_agent(name: str, shown_as: str) -> str:
    """`shown_as` is the agent's name; outside of the plugin it must not clash with the user's."""
    return _read_text(f"agents/{name}").replace("{name}", shown_as)


def _read_text(name: str) -> str:
    return files("untildone.install").joinpath("texts", f"{name}.md").read_text(encoding="utf-8")


def _add_permissions(skill: str, *more: str) -> str:
    front, end, body = skill.partition(_END_OF_FRONT_MATTER)
    return f"{front}\nallowed-tools: {', '.join((*PERMISSIONS, *more))}{end}{body}"
