"""What leaves a worker for the database, without secrets of its machine."""

import re
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import sqlalchemy as sa

from untildone.checks.clean_output import clean

# https://token@example.org/app.git, also where git rewrote the address by the user's settings
_LOGIN = re.compile(r"(?i)(?P<scheme>https?://)[^\s/@]+@")


class StepFailure(Exception):  # noqa: N818  no error of ours: the name of one
    """Stands for an unexpected error where dbos stores the message."""


def redact(text: str, environ: Mapping[str, str]) -> str:
    """Return the text without secrets, logins in addresses, and what changes a terminal."""
    return clean(_LOGIN.sub(r"\g<scheme>", text), environ=environ)


@contextmanager
def hide_errors(environ: Mapping[str, str], tell: Callable[[str], None]) -> Iterator[None]:
    """Replace an unexpected error by one without its message, and tell the user the original."""
    try:
        yield
    except (StepFailure, sa.exc.DBAPIError):
        # Of the latter the worker makes the loss of its tasks.
        raise
    except Exception as error:  # noqa: BLE001  dbos stores whatever it is
        tell(redact("".join(traceback.format_exception(error)), environ))
        raise StepFailure(type(error).__name__) from None
