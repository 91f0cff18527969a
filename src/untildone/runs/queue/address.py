"""Where the queue is, and whether its packages are installed; imports none of them."""

import importlib.util
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from untildone.errors import UserError
from untildone.extras import describe_extra

VARIABLE = "UNTILDONE_DATABASE"
_SQLITE = "sqlite:///"
_POSTGRES = "postgresql+psycopg://"
# postgresql://app:hunter2@db.internal
_PASSWORD = re.compile(r"(?<=://)([^/@:]*):[^/@]*(?=@)")
# postgresql://db.internal/app?password=hunter2
_IN_QUERY = re.compile(r"(?i)([?&][^=&]*passw(?:or)?d=)[^&]*")


def require_extra() -> None:
    """Refuse to go on without the packages of the extra `cluster`."""
    if importlib.util.find_spec("dbos") is None:
        raise UserError(
            "the queue needs the package `dbos`, which is not installed",
            hint=describe_extra("cluster"),
        )


def find_url(database: str, *, home: Path, environ: Mapping[str, str]) -> str:
    """Return the address: the option's, the variable's, or the SQLite file in our state folder."""
    given = database or environ.get(VARIABLE, "") or str(home / "queue.sqlite")
    if given.startswith(("postgres://", "postgresql://")):
        return _POSTGRES + given.partition("://")[2]
    given = given.removeprefix(_SQLITE)
    if "://" in given:
        raise UserError(
            f"`{given.partition('://')[0]}` is no database that the queue knows",
            hint="use `postgresql://USER@HOST/NAME`, or the path of a SQLite file",
        )
    return f"{_SQLITE}{Path(given).absolute()}"


def is_shared(url: str) -> bool:
    """Say whether others than the user of this machine may write to it."""
    return not url.startswith(_SQLITE)


def get_file(url: str) -> Path:
    """Return the SQLite file of an address."""
    return Path(url.removeprefix(_SQLITE))


def get_name(url: str) -> str:
    """Return the name of the database of a shared address; libpq takes the user's without one."""
    parts = urlsplit(url)
    return unquote(parts.path.strip("/")) or unquote(parts.username or "")


def hide_password(url: str) -> str:
    shown = url.replace(_POSTGRES, "postgresql://")
    if not is_shared(url):
        return str(get_file(url))
    return _IN_QUERY.sub(r"\1***", _PASSWORD.sub(r"\1:***", shown))
