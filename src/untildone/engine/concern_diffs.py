"""The diffs between baseline and project that a user looks at before approving a concern."""

from collections.abc import Iterable
from difflib import unified_diff
from pathlib import Path

from untildone.checks.clean_output import clean
from untildone.core.concerns import get_file
from untildone.core.evidence import Concern
from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.integrity.baseline import load_baseline
from untildone.store.loops import Record
from untildone.worktree.contents import Tree, read_tree
from untildone.worktree.limits import Budget, LimitExceeded

_MAX_FILES = 10
_MAX_LINES = 60
# For the diffs of all files together.
_SECONDS = 1.0


def load_concern_diffs(
    context: Context, record: Record, concerns: Iterable[Concern], *, project: Path
) -> dict[str, str]:
    """Return the diffs of the concerns' files by path: of the first files, if there is a baseline.

    The journal keeps them: what the user approves is what was judged, not what is there later.
    """
    paths = list(dict.fromkeys(map(get_file, concerns)))[:_MAX_FILES]
    old = _load_baseline_tree(context, record) if paths else None
    if old is None:
        return {}
    new, budget = read_tree(project, paths), Budget(seconds=_SECONDS)
    return {path: _format_in_time(path, old, new, budget) for path in paths}


def _format_in_time(path: str, old: Tree, new: Tree, budget: Budget) -> str:
    """Return the diff of the file, or a line that it takes too long: it may grow as a square."""
    try:
        with budget.use():
            return _format_diff(path, old, new)
    except LimitExceeded:
        return f"the diff of `{path}` takes too long to compute"


def read_baseline_file(context: Context, record: Record, path: str) -> bytes:
    """Return the content of a file in the baseline; raise UserError if it is not there."""
    old = _load_baseline_tree(context, record)
    if old is None:
        raise UserError(
            f"nothing is kept of the baseline of loop `{record.contract.id}`",
            hint=f"`git log -- {path}` may have the file",
        )
    if path not in old:
        raise UserError(
            f"there was no file `{path}` in the baseline", hint="give its path in the project"
        )
    return (old.root / path).read_bytes()


def _load_baseline_tree(context: Context, record: Record) -> Tree | None:
    """Return the files of the baseline; None if there is none, or it was altered."""
    folder = context.loops.get_folder(record.contract.id) / "baseline"
    try:
        return load_baseline(folder, record.progress.baseline_tree_digest)[1]
    except ValueError:
        return None


def _format_diff(path: str, old: Tree, new: Tree) -> str:
    """Return a unified diff of the file, cut after its first lines."""
    old_lines, new_lines = (clean(tree.text(path)).splitlines() for tree in (old, new))
    lines = list(
        unified_diff(
            old_lines, new_lines, f"{path} in the baseline", f"{path} now", lineterm="", n=2
        )
    )
    omitted = len(lines) - _MAX_LINES
    ending = [f"… {omitted} more lines"] if omitted > 0 else []
    return "\n".join((*lines[:_MAX_LINES], *ending))
