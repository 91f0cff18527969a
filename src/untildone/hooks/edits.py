"""An edit where the person wants edits looked at: what the file was before this turn is kept.

`look` makes the installed line look at the session's next stop although it has no loop.
"""

import binascii
import os

from untildone.engine.payload import FULL, Call, before_edit
from untildone.features.edits import switch
from untildone.store.sessions import Session


def answer(call: Call, session: Session) -> str:
    """Asks for the full program where the edit is told of, or the first one of a turn."""
    modes = switch.read_modes(call.home)
    path, text, known = before_edit(call)
    if not modes or not known:
        return ""
    told = FULL if switch.TELL in modes else ""
    if session.get_loop_id() or switch.AUTO not in modes:
        return told
    first = switch.AUTO not in session.read_stop_reasons()
    _keep(session, call.text("prompt_id"), path, text)
    session.watch_stops(switch.AUTO)
    return FULL if first else told


def _keep(session: Session, prompt: str, path: str, text: str | None) -> None:
    """The first of a turn: a later one has what this turn has done to the file."""
    # Two files of one name are no harm: what is not kept is not held against anybody.
    name = f"before-{binascii.crc32(os.fsencode(path)):08x}.json"
    if session.read_json(name).get("prompt") != prompt:
        session.write_json(name, {"prompt": prompt, "path": path, "text": text})
