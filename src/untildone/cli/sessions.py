"""Which session of an agent a command means."""

import os
from pathlib import Path

from untildone.cli.loops import current_session_id
from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.process.runner import is_alive
from untildone.store.sessions import Session, list_sessions


def choose_session(context: Context, given: str | None, project: Path) -> Session:
    """The given session, that of this shell, or the only live one of this project."""
    session_id = current_session_id(context) if given is None else given
    if session_id or given is not None:
        return context.session(session_id)
    live = list_live_sessions(context, project)
    if len(live) == 1:
        return live[0]
    if live:
        ids = ", ".join(f"`{session.id}`" for session in live)
        raise UserError(
            f"this project has several sessions: {ids}", hint="name one with `--session ID`"
        )
    raise UserError(
        f"there is no live session of {context.agent.NAME} in `{project}`",
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
    own = str(session.read_json("session.json").get("project", ""))
    return bool(own) and os.path.realpath(own) == os.path.realpath(project)
