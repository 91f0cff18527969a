"""The project that a command works on."""

from pathlib import Path

from untildone.errors import UserError
from untildone.worktree.files import find_worktree_root


def find_project(given: Path | None) -> Path:
    """The folder given, else the top of the worktree this is called in."""
    if given:
        return given.resolve()
    try:
        called_in = Path.cwd()
    except FileNotFoundError:
        raise UserError(
            "the folder this is called in is gone", hint="`cd` elsewhere, or give `--project DIR`"
        ) from None
    return find_worktree_root(called_in) or called_in
