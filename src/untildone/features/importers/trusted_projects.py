"""The list of projects in which the user trusts other tools' loop files.

`untildone trust --dialects` writes it, the hooks read it: standard library only.
"""

import json
import os

from untildone.features.importers import IMPORT_REASON
from untildone.store.sessions import Session

# In our home folder: a JSON list of paths.
_FILE = "dialects.json"


def is_trusted_project(home: str, project: str) -> bool:
    """Say whether the user trusts the project or a folder above it."""
    return any(is_within(project, trusted) for trusted in list_trusted_projects(home))


def is_within(path: str, folder: str) -> bool:
    """Say whether the path is the folder or inside it; an empty path is not."""
    inner, outer = os.path.realpath(path), os.path.realpath(folder)
    return bool(path) and (inner == outer or inner.startswith(outer.rstrip(os.sep) + os.sep))


def list_trusted_projects(home: str) -> list[str]:
    """Return the trusted paths; none if the list is missing or damaged."""
    try:
        with open(os.path.join(home, _FILE), encoding="utf-8", errors="surrogateescape") as file:
            paths = json.load(file)
    except (OSError, ValueError, RecursionError):
        return []
    return [str(path) for path in paths if path] if isinstance(paths, list) else []


def set_trust(home: str, project: str, *, wanted: bool) -> None:
    """Add the project to the list or remove it; later sessions of the project obey that."""
    resolved_path = os.path.realpath(project)
    others = [path for path in list_trusted_projects(home) if path != resolved_path]
    temporary = os.path.join(home, f".{_FILE}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
        json.dump([*others, resolved_path] if wanted else others, file)
    os.replace(temporary, os.path.join(home, _FILE))


def watch_session(session: Session, *, wanted: bool = True) -> None:
    """Make the hooks record this session's tool calls and look at its stops, or end that.

    The calls show whether this session wrote a loop file.
    """
    if wanted:
        os.makedirs(session.get_path("calls"), mode=0o700, exist_ok=True)
        session.write(IMPORT_REASON, "")
    else:
        session.remove(IMPORT_REASON)
    session.watch_stops(IMPORT_REASON, wanted=wanted)
