"""SessionStart and SessionEnd: record where a session runs, for the user's own terminal."""

import os

from untildone.engine.payload import FULL, Call
from untildone.store.sessions import Session

_FRESH = ("startup", "")


def answer(call: Call) -> str:
    session = Session(call.home, call.agent, call.text("session_id"))
    if not session.known:
        return ""
    if call.event == "SessionEnd":
        if session.get_loop_id():
            return FULL
        session.remove("session.json")
        return ""
    record_session(call, session)
    if os.path.isfile(os.path.join(call.home, "dialects.json")):
        _watch_dialects(call, session)
    # After compaction, /clear and fork the loop greets the agent again; the loop of a resumed
    # session may have been removed from the index.
    return FULL if session.get_loop_id() or call.text("source") not in _FRESH else ""


def _watch_dialects(call: Call, session: Session) -> None:
    # Imported here because few users trust other tools' loop files.
    from untildone.features.importers import trusted_projects

    if trusted_projects.is_trusted_project(call.home, call.project):
        trusted_projects.watch_session(session)


def record_session(call: Call, session: Session) -> None:
    if not session.has("began"):
        session.write("began", "")
    session.remove("ended.json")
    session.write_json(
        "session.json",
        {
            "project": call.project,
            "cwd": call.text("cwd"),
            "process": call.process,
            "transcript": call.text("transcript_path"),
            "attended": call.environ.get(call.client.ATTENDED_VARIABLE, ""),
        },
    )
