"""The concerns that wait for approval, with the diffs that caused them."""

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

_FILES = 10
_LINES = 60


def load_concern_diffs(
    context: Context, record: Record, concerns: tuple[Concern, ...], *, project: Path
) -> tuple[ReceiptConcern, ...]:
    asked = [concern for concern in concerns if concern.id in record.progress.reported_concerns]
    if not asked:
        return ()
    paths = list(dict.fromkeys(_get_path(concern) for concern in asked))[:_FILES]
    old, new = _load_baseline_tree(context, record), read_tree(project, paths)
    changes = {path: _format_diff(path, old, new) for path in paths} if old else {}
    return tuple(
        ReceiptConcern(
            id=concern.id,
            path=concern.path,
            because=concern.detail,
            change=changes.get(_get_path(concern), ""),
        )
        for concern in asked
    )


def read_baseline_file(context: Context, record: Record, path: str) -> bytes:
    """The content of a file in the baseline."""
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
    folder = context.loops.get_folder(record.contract.id) / "baseline"
    try:
        return load_baseline(folder, record.progress.baseline_tree_digest)[1]
    except ValueError:
        return None


def _get_path(concern: Concern) -> str:
    return concern.path.partition("::")[0]


def _format_diff(path: str, old: Tree, new: Tree) -> str:
    before, now = (clean(tree.text(path)).splitlines() for tree in (old, new))
    lines = list(
        unified_diff(before, now, f"{path} in the baseline", f"{path} now", lineterm="", n=2)
    )
    rest = len(lines) - _LINES
    return "\n".join((*lines[:_LINES], *([f"… {rest} more lines"] if rest > 0 else [])))
