"""The folder `.untildone/` of a project: logs of the checks, feedback, long tasks, the receipt.

All of it is for people and the agent to read: a loop works without the folder too.
"""

import os
import shutil
from pathlib import Path

from untildone.core.contract import Contract
from untildone.core.feedback import TASK_BEGINNING
from untildone.store.durable_files import write_atomically

ARTIFACTS = ".untildone"
# Rounds whose logs are kept.
_LOGS_KEPT = 5


def open_artifact_folder(project: Path) -> Path | None:
    """Return the folder, created if needed; None if a link or a file is in its place.

    It has a `.gitignore`, so that git does not see it.
    """
    folder = project / ARTIFACTS
    try:
        if folder.is_symlink():
            return None
        folder.mkdir(exist_ok=True)
        ignore = folder / ".gitignore"
        if not os.path.lexists(ignore):
            ignore.write_text("*\n", encoding="utf-8")
    except OSError:
        return None
    return folder


def make_log_folder(project: Path, loop: str, number: int) -> Path | None:
    """Return a folder for the logs of round `number`, or None; delete those of older rounds."""
    folder = open_artifact_folder(project)
    if folder is None:
        return None
    logs = folder / "rounds" / loop
    try:
        if logs.parent.is_symlink():
            return None
        (logs / str(number)).mkdir(parents=True, exist_ok=True)
        for old in sorted(logs.iterdir(), key=lambda path: path.stat().st_mtime)[:-_LOGS_KEPT]:
            shutil.rmtree(old, ignore_errors=True)
    except OSError:
        return None
    return logs / str(number)


def write_feedback_file(project: Path, name: str, text: str) -> Path | None:
    """Write what a held agent should read to `feedback-NAME.md`; None if that is not possible."""
    folder = open_artifact_folder(project)
    if folder is None:
        return None
    path = folder / f"feedback-{name}.md"
    try:
        write_atomically(path, text.encode("utf-8", "replace"), keep_previous=False)
    except OSError:
        return None
    return path


def write_task(project: Path, contract: Contract) -> None:
    """Write the task to `task-ID.md` if it is too long to be repeated at each round."""
    folder = open_artifact_folder(project) if len(contract.task) > TASK_BEGINNING else None
    if folder:
        path = folder / f"task-{contract.id}.md"
        path.write_bytes(contract.task.encode("utf-8", "surrogateescape"))
