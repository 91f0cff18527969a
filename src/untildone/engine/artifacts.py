"""The folder `.untildone/` of a project: logs of the checks, long tasks, the receipt."""

import os
import shutil
from pathlib import Path

from untildone.core.contract import Contract
from untildone.core.feedback import TASK_BEGINNING

_LOGS_KEPT = 5


def open_artifact_folder(project: Path) -> Path | None:
    """The folder, made where needed; None if the repository has a link or a file in its place."""
    folder = project / ".untildone"
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
    """The folder for the logs of one round; those of older rounds are deleted."""
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


def write_task(project: Path, contract: Contract) -> None:
    """Writes a task that is too long to be repeated at each round."""
    folder = open_artifact_folder(project) if len(contract.task) > TASK_BEGINNING else None
    if folder:
        path = folder / f"task-{contract.id}.md"
        path.write_bytes(contract.task.encode("utf-8", "surrogateescape"))
