"""The diffs between baseline and project that a user looks at before approving a concern."""

from difflib import unified_diff
from pathlib import Path

from untildone.checks.clean_output import clean
from untildone.core.evidence import Concern
from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.integrity.baseline import load_baseline
from untildone.report.receipt import ReceiptConcern
from untildone.store.loops import Record
from untildone.worktree.contents import Tree, read_tree

_MAX_FILES = 10
_MAX_LINES = 60


def load_concern_diffs(
    context: Context, record: Record, concerns: tuple[Concern, ...], *, project: Path
) -> tuple[ReceiptConcern, ...]:
    """Return those of `concerns` that wait for approval, each with the diff of its file.

    Beyond the first files, or without a baseline, the diff is empty.
    """
    open_concerns = [
        concern for concern in concerns if concern.id in record.progress.reported_concerns
    ]
    if not open_concerns:
        return ()
    paths = list(dict.fromkeys(_get_path(concern) for concern in open_concerns))[:_MAX_FILES]
    old, new = _load_baseline_tree(context, record), read_tree(project, paths)
    diffs = {path: _format_diff(path, old, new) for path in paths} if old else {}
    return tuple(
        ReceiptConcern(
            id=concern.id,
            path=concern.path,
            because=concern.detail,
            change=diffs.get(_get_path(concern), ""),
        )
        for concern in open_concerns
    )


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


def _get_path(concern: Concern) -> str:
    """Return the concern's file: `tests/a.py` of `tests/a.py::test_one`."""
    return concern.path.partition("::")[0]


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
