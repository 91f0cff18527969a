"""Our hooks as a program in the client's own language, for clients without settings for hooks."""

import json
import re
from importlib.resources import files

from untildone.install.settings_editing import Entries, Json

# The line of `plugin.js` in an agent's package that `init` fills in.
_PLACEHOLDER = '"{hooks}"'
_HOOKS = re.compile(r"^const HOOKS = (\{.*\})$", re.MULTILINE)


def build_module(agent: str, entries: Entries) -> str:
    text = files(f"untildone.agents.{agent}").joinpath("plugin.js").read_text(encoding="utf-8")
    return text.replace(_PLACEHOLDER, json.dumps(entries.hooks))


def parse_module(text: str) -> Json:
    """Return the hooks in our module, in the form that other clients' settings have."""
    match = _HOOKS.search(text)
    try:
        hooks = json.loads(match[1]) if match else {}
    except ValueError:
        return {}
    return {"hooks": {event: [hook] for event, hook in hooks.items()}}
