"""The projects in which the user trusts other tools' loop files. Standard library only."""

import json
import os

from untildone.features.importers import IMPORT_REASON
from untildone.store.sessions import Session

_FILE = "dialects.json"


def is_trusted_project(home: str, project: str) -> bool:
    """Whether the project, or a folder above it, is trusted."""
    return any(is_within(project, trusted) for trusted in list_trusted_projects(home))


def is_within(place: str, folder: str) -> bool:
    """Whether `place` is the folder or inside it; an empty place is not."""
    inner, outer = os.path.realpath(place), os.path.realpath(folder)
    return bool(place) and (inner == outer or inner.startswith(outer.rstrip(os.sep) + os.sep))


def list_trusted_projects(home: str) -> list[str]:
    try:
        with open(os.path.join(home, _FILE), encoding="utf-8", errors="surrogateescape") as file:
            known = json.load(file)
    except (OSError, ValueError, RecursionError):
        return []
    return [str(path) for path in known if path] if isinstance(known, list) else []


def set_trust(home: str, project: str, *, wanted: bool) -> None:
    """Applies to every later session of this project."""
    place = os.path.realpath(project)
    others = [path for path in list_trusted_projects(home) if path != place]
    temporary = os.path.join(home, f".{_FILE}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
        json.dump([*others, place] if wanted else others, file)
    os.replace(temporary, os.path.join(home, _FILE))


def watch_session(session: Session, *, wanted: bool = True) -> None:
    """Looks at the session's stops, and records its tool calls, which show who wrote a file."""
    if wanted:
        os.makedirs(session.path("calls"), mode=0o700, exist_ok=True)
        session.write(IMPORT_REASON, "")
    else:
        session.remove(IMPORT_REASON)
    session.watch_stops(IMPORT_REASON, wanted=wanted)
