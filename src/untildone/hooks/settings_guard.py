"""ConfigChange: refuse settings that would disable the hooks while a loop is active."""

import os

from untildone.engine.payload import Call
from untildone.install.own_entries import describe_harm_in_file
from untildone.store.sessions import Session


def answer(call: Call) -> str:
    if not Session(call.home, call.agent, call.text("session_id")).is_active():
        return ""
    # All files are checked: a refused change takes effect with the next change of any file.
    harms = (describe_harm_in_file(path, call.home) for path in _list_settings_files(call))
    harm = next((harm for harm in harms if harm), "")
    if not harm:
        return ""
    reason = f"a loop is active and this change {harm}; `untildone cancel` ends the loop first"
    return str(call.client.refuse_settings(f"untildone: {reason}"))


def _list_settings_files(call: Call) -> list[str]:
    """Return every settings file that the client reads, the changed one first."""
    client = call.client
    usual = os.path.join(os.path.expanduser("~"), client.FOLDER)
    user = call.environ.get(client.FOLDER_VARIABLE) or usual
    folders = (user, os.path.join(call.project, client.FOLDER))
    paths = [os.path.join(folder, name) for folder in folders for name in client.SETTINGS]
    return [call.text("file_path"), *filter(os.path.exists, paths)]
