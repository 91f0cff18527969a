"""ConfigChange: while a loop is active, a change that would switch the hooks off is refused."""

import json
import os

from untildone.engine.payload import Call
from untildone.install.entries import describe_harm_in_file
from untildone.store.sessions import Session


def answer(call: Call) -> str:
    if not Session(call.home, call.agent, call.text("session_id")).is_active():
        return ""
    # A refused change is only put off: the next change of any file would bring it in.
    harms = (describe_harm_in_file(path, call.home) for path in _files(call))
    harm = next((harm for harm in harms if harm), "")
    if not harm:
        return ""
    reason = f"a loop is active and this change {harm}; `untildone cancel` ends the loop first"
    return json.dumps(
        {"decision": "block", "reason": reason, "systemMessage": f"untildone: {reason}"}
    )


def _files(call: Call) -> list[str]:
    """Every settings file the client reads, the changed one first."""
    project = call.environ.get("CLAUDE_PROJECT_DIR") or call.text("cwd")
    own = call.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")
    folders = (own, os.path.join(project, ".claude"))
    names = ("settings.json", "settings.local.json")
    known = [os.path.join(folder, name) for folder in folders for name in names]
    return [call.text("file_path"), *(path for path in known if os.path.exists(path))]
