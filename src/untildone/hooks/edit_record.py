"""PostToolUse of an edit, if the user switched automatic mode or edit feedback on.

It keeps the file's text from before the turn and has the session's next stop examined.
"""

import binascii
import os

from untildone.engine.payload import FULL, Call, read_edit
from untildone.features.edits import switch
from untildone.store.sessions import Session


def answer(call: Call, session: Session) -> str:
    """Ask for the full program if edits get feedback, or for the first edit of a turn."""
    modes = switch.read_modes(call.home)
    path, text, known = read_edit(call)
    if not modes or not known:
        return ""
    feedback = FULL if switch.TELL in modes else ""
    if session.get_loop_id() or switch.AUTO not in modes:
        return feedback
    is_first = switch.AUTO not in session.read_stop_reasons()
    _record_text(session, call.text("prompt_id"), path, text)
    session.watch_stops(switch.AUTO)
    return FULL if is_first else feedback


def _record_text(session: Session, prompt: str, path: str, text: str | None) -> None:
    """Record the text once per turn: later edits start from what this turn changed."""
    # A collision of names only loses one record: edits to that file are not examined.
    name = f"before-{binascii.crc32(os.fsencode(path)):08x}.json"
    if session.read_json(name).get("prompt") != prompt:
        session.write_json(name, {"prompt": prompt, "path": path, "text": text})
