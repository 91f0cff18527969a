"""Slash commands and subagents: one text each, for the plugin and for what `init` writes."""

from importlib.resources import files

from untildone.agents.permissions import PERMISSIONS

STARTING = ("build", "test", "lint", "ship", "fix", "loop")
PERSONAL = ("cancel", "pause", "continue", "approve")
PLANNING = ("plan-feature", "implement-task", "implement-feature")
NAMES = (*STARTING, *PLANNING, "status", *PERSONAL)
AGENTS = ("task-planner", "task-verifier", "planning-validator")

# They touch the plan alone; `plan start` runs its commands, as `start` does.
_OF_PLANS = (
    "Bash(untildone start --template refine-plan:*)",
    *(
        f"Bash(untildone plan {verb}:*)"
        for verb in ("init", "validate", "next", "show", "refine", "render")
    ),
)

_END_OF_FRONT_MATTER = "\n---\n"


def text(name: str) -> str:
    own = _source(name)
    if name in STARTING:
        shared = _source("working").replace("{preset}", name)
        return f"{_with_permissions(own)}\n{shared}"
    if name in PLANNING:
        shared = "" if name == "plan-feature" else f"\n{_source('planned')}"
        return f"{_with_permissions(own, *_OF_PLANS)}{shared}"
    if name in PERSONAL:
        return f"{own}\n{_source('person').replace('{verb}', name)}"
    return own


def skills() -> dict[str, str]:
    """By path in a plugin, whose name the client puts before theirs: `/untildone:NAME`."""
    made = {f"skills/{name}/SKILL.md": text(name) for name in NAMES}
    return made | {f"agents/{name}.md": agent(name, name) for name in AGENTS}


def commands() -> dict[str, str]:
    """By path in the client's settings folder.

    A skill there can have no colon in its name; a command in a folder is `/untildone:NAME`.
    """
    made = {f"commands/untildone/{name}.md": text(name) for name in NAMES}
    named = {name: f"untildone-{name}" for name in AGENTS}
    return made | {f"agents/{own}.md": agent(name, own) for name, own in named.items()}


def agent(name: str, shown_as: str) -> str:
    """Where no plugin stands before its name, an agent of the person's may have the same."""
    return _source(f"agents/{name}").replace("{name}", shown_as)


def _source(name: str) -> str:
    return files("untildone.install").joinpath("texts", f"{name}.md").read_text(encoding="utf-8")


def _with_permissions(skill: str, *more: str) -> str:
    front, end, body = skill.partition(_END_OF_FRONT_MATTER)
    return f"{front}\nallowed-tools: {', '.join((*PERMISSIONS, *more))}{end}{body}"
