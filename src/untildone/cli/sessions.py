"""Which session of an agent a command means."""

import os
from pathlib import Path

from untildone.cli.loops import current_session_id
from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.process.runner import is_alive
from untildone.store.sessions import Session, list_sessions


def choose_session(context: Context, given: str | None, project: Path) -> Session:
    """The one named, the one this shell belongs to, or the only live one of this project."""
    named = current_session_id(context) if given is None else given
    if named or given is not None:
        return context.session(named)
    live = list_live_sessions(context, project)
    if len(live) == 1:
        return live[0]
    if live:
        ids = ", ".join(f"`{session.id}`" for session in live)
        raise UserError(f"several sessions run here: {ids}", hint="name one with `--session ID`")
    raise UserError(
        f"no live session of {context.agent.NAME} was seen in `{project}`",
        hint="start the agent here first (after `untildone init`), or name one with `--session ID`",
    )


def list_live_sessions(context: Context, project: Path) -> list[Session]:
    return [
        session
        for session in list_sessions(os.fspath(context.home), context.agent.NAME)
        if is_live(session) and _is_in_project(session, project)
    ]


def is_live(session: Session) -> bool:
    process = str(session.read_json("session.json").get("process", ""))
    return process.isdecimal() and is_alive(int(process)) and not session.has("ended.json")


def _is_in_project(session: Session, project: Path) -> bool:
    place = str(session.read_json("session.json").get("project", ""))
    return bool(place) and os.path.realpath(place) == os.path.realpath(project)
