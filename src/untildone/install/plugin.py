"""The plugin's files; `python -m untildone.install.plugin REPOSITORY` writes them."""

import json
import sys
from pathlib import Path

from untildone import __version__
from untildone.install.claude_lines import build_plugin_entries
from untildone.install.settings_editing import Entries
from untildone.install.skills import build_plugin_skills

NAME = "untildone"
MARKETPLACE = ".claude-plugin/marketplace.json"

_DESCRIPTION = "Keeps the agent working until the evidence says that the work is done."
_KEYWORDS = ["loop", "stop-hook", "verification", "tests", "ralph-loop"]
_MANIFEST = {
    "name": NAME,
    "version": __version__,
    "description": _DESCRIPTION,
    "author": {"name": NAME},
    "license": "MIT",
    "keywords": _KEYWORDS,
}
_MARKETPLACE = {
    "name": NAME,
    "owner": {"name": NAME},
    "metadata": {"description": _DESCRIPTION, "version": __version__},
    "plugins": [
        {
            "name": NAME,
            "source": "./plugin",
            "description": _DESCRIPTION,
            "version": __version__,
            "license": "MIT",
            "keywords": _KEYWORDS,
        }
    ],
}


def build_hooks(entries: Entries) -> dict[str, object]:
    groups = {event: [group] for event, group in entries.hooks.items()}
    return {"description": _DESCRIPTION, "hooks": groups}


def build_plugin_files(entries: Entries) -> dict[str, str]:
    """Return the texts by their path in the repository."""
    texts = {f"plugin/{path}": text for path, text in build_plugin_skills().items()}
    texts["plugin/.claude-plugin/plugin.json"] = _encode(_MANIFEST)
    texts["plugin/hooks/hooks.json"] = _encode(build_hooks(entries))
    texts[MARKETPLACE] = _encode(_MARKETPLACE)
    return texts


def write_plugin(repository: Path, entries: Entries) -> None:
    for path, text in build_plugin_files(entries).items():
        target = repository / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")


def _encode(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    write_plugin(Path(sys.argv[1]), build_plugin_entries())
