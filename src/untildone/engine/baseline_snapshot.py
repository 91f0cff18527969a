"""Saves the project's files as the baseline when a loop starts, before the agent can act.

At the end the tree is compared with this snapshot, to find removed tests and the like.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from untildone.core.contract import Contract
from untildone.core.progress import Progress
from untildone.engine.context import Context
from untildone.store.loops import Record


@contextmanager
def snapshot_baseline(context: Context, contract: Contract) -> Iterator[tuple[str, str]]:
    """Save a snapshot beside the loops; yield its SHA-256 and, if there is none, the reason.

    The caller creates the loop in the block; then the snapshot is moved into the loop's folder.
    A loop without checks has no snapshot and no reason.
    """
    if not contract.checks:
        yield "", ""
        return
    folder = context.loops.get_folder(contract.id)
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    # A folder whose name begins with a dot is not taken for a loop.
    draft = folder.with_name(f".{contract.id}-{os.urandom(8).hex()}")
    try:
        digest, missing = _save_snapshot(context, contract, draft)
        yield digest, missing
        if digest:
            draft.rename(folder / "baseline")
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def find_snapshot(context: Context, record: Record) -> Path | None:
    """Return the folder with the files of the baseline; None if there is no snapshot."""
    if not record.progress.baseline_tree_digest:
        return None
    from untildone.integrity.baseline import get_files_folder

    return get_files_folder(context.loops.get_folder(record.contract.id) / "baseline")


def drop_altered_baseline(context: Context, record: Record) -> Progress:
    """Return the progress without a snapshot that was altered.

    The user continues a loop that paused as tampered: it goes on without the comparison.
    """
    progress = record.progress
    if progress.outcome != "tampered" or not progress.baseline_tree_digest:
        return progress
    from untildone.integrity.baseline import load_baseline

    try:
        load_baseline(
            context.loops.get_folder(record.contract.id) / "baseline", progress.baseline_tree_digest
        )
    except (ValueError, OSError) as error:
        return replace(progress, baseline_tree_digest="", baseline_missing=str(error))
    return progress


def _save_snapshot(context: Context, contract: Contract, draft: Path) -> tuple[str, str]:
    """Save the snapshot in the folder `draft`; return its digest, or "" and why it failed."""
    # Imported where it is used: a prompt that starts no loop must not pay for it.
    from untildone.integrity.baseline import BaselineTooLargeError, save_baseline
    from untildone.integrity.environment.facts import collect_facts
    from untildone.integrity.environment.search_path import record_programs
    from untildone.sandbox.home_folder import select_steering
    from untildone.worktree.contents import GENERATED
    from untildone.worktree.listing import list_ignored_folders
    from untildone.worktree.roles import classify_file

    project = Path(contract.project)
    commands = [check.command for check in contract.checks]
    folders = [path.as_posix() for path in list_ignored_folders(project)]
    # Folders that git ignores are left out, such as `build/`; but one with tests is kept.
    ignored = [
        path
        for path in folders
        if GENERATED.intersection(path.split("/")) or classify_file(f"{path}/any") != "test"
    ]
    try:
        digest = save_baseline(
            project,
            draft,
            ignored=ignored,
            surroundings=collect_facts(project, commands, context.environ),
            variables=select_steering(context.environ),
            programs=record_programs(context.environ),
        )
    except BaselineTooLargeError as error:
        return "", f"the baseline is too large to keep ({error})"
    except OSError as error:
        return "", f"the baseline could not be kept: {error.strerror}"
    return digest, ""
