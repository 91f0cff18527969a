"""What the user approved for good in a project: `config:tox.ini:tox.env_list` and the like.

The list is in the project's state folder, outside the repository.
"""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from untildone.store.durable_files import DamagedFileError, write_atomically
from untildone.store.encoding import decode, encode

_FILE = "approvals.json"


class LastingApproval(Struct, frozen=True, kw_only=True):
    """`what` is `KIND:PATH[:DETAIL]`; `loop` is the one that asked."""

    what: str
    at: str
    loop: str = ""


def list_approvals(folder: Path) -> tuple[LastingApproval, ...]:
    """Return the approvals of the project with this state folder; none if the file is damaged."""
    try:
        return decode((folder / _FILE).read_bytes(), tuple[LastingApproval, ...])
    except (OSError, DamagedFileError):
        return ()


def add_approvals(folder: Path, approvals: Iterable[LastingApproval]) -> None:
    known = list_approvals(folder)
    names = {approval.what for approval in known}
    _write(folder, (*known, *(each for each in approvals if each.what not in names)))


def remove_approval(folder: Path, what: str) -> None:
    _write(folder, tuple(each for each in list_approvals(folder) if each.what != what))


def _write(folder: Path, approvals: tuple[LastingApproval, ...]) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_atomically(folder / _FILE, encode(approvals))
