"""The project that a command works on."""

from pathlib import Path

from untildone.errors import UserError
from untildone.worktree.listing import find_worktree_root


def find_project(given: Path | None) -> Path:
    """The given folder, else the top of the current worktree."""
    if given:
        return given.resolve()
    try:
        current = Path.cwd()
    except FileNotFoundError:
        raise UserError(
            "the current folder no longer exists", hint="`cd` elsewhere, or give `--project DIR`"
        ) from None
    return find_worktree_root(current) or current
