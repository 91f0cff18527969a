"""The slash commands: one text each, for the plugin's skills and for the commands of `init`."""

from importlib.resources import files

STARTING = ("build", "test", "lint", "ship", "fix", "loop")
PERSONAL = ("cancel", "pause", "continue", "approve")
NAMES = (*STARTING, "status", *PERSONAL)

# Not `start` and `check`: they run commands, which is the client's to ask the person about.
AGENT_VERBS = (
    *("criterion", "met", "note", "signal", "blocked", "status"),
    *("steps", "precheck", "score"),
)
PERMISSIONS = tuple(f"Bash(untildone {verb}:*)" for verb in AGENT_VERBS)

_END_OF_FRONT_MATTER = "\n---\n"


def text(name: str) -> str:
    own = _source(name)
    if name in STARTING:
        shared = _source("working").replace("{preset}", name)
        return f"{_with_permissions(own)}\n{shared}"
    if name in PERSONAL:
        return f"{own}\n{_source('person').replace('{verb}', name)}"
    return own


def skills() -> dict[str, str]:
    """By path in a plugin, where the client shows them as `/untildone:NAME`."""
    return {f"skills/{name}/SKILL.md": text(name) for name in NAMES}


def commands() -> dict[str, str]:
    """By path in the client's settings folder.

    A skill there can have no colon in its name; a command in a folder is `/untildone:NAME`.
    """
    return {f"commands/untildone/{name}.md": text(name) for name in NAMES}


def _source(name: str) -> str:
    return files("untildone.install").joinpath("texts", f"{name}.md").read_text(encoding="utf-8")


def _with_permissions(skill: str) -> str:
    front, end, body = skill.partition(_END_OF_FRONT_MATTER)
    return f"{front}\nallowed-tools: {', '.join(PERMISSIONS)}{end}{body}"
