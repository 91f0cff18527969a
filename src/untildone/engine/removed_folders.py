"""Unfinished loops whose folder, such as a worktree, was removed: nothing can be judged there."""

from pathlib import Path

from untildone.engine.context import Context
from untildone.store.loops import Record


def find_removed_folders(context: Context) -> list[Record]:
    try:
        loops = context.loops.list_unfinished()
    except OSError:
        # `doctor` reports a state folder that cannot be read.
        return []
    return [record for record in loops if not Path(record.contract.project).is_dir()]


def describe_removed_folder(record: Record) -> str:
    return f"loop {record.contract.id}: its folder `{record.contract.project}` was removed"


def explain_removed_folders(context: Context) -> list[str]:
    """Return a line for each such loop, with the command that ends it."""
    return [
        f"{describe_removed_folder(record)}; `untildone cancel {record.contract.id}` ends it"
        for record in find_removed_folders(context)
    ]
