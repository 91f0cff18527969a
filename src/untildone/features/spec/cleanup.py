"""Removes the state of a finished loop if the user chose so."""

import shutil
from pathlib import Path

from untildone.engine.context import Context
from untildone.features.spec import checkpoints
from untildone.store.lock import LockTimeoutError, hold_lock


def remove_finished_loop(context: Context, loop: str) -> bool:
    """Whether it was removed; a stop that is being judged still needs it and cleans up itself."""
    folder = context.loops.get_folder(loop)
    if not folder.exists():
        return False
    record = context.loops.load(loop)
    contract = record.contract
    if not contract.clean or record.progress.status != "finished":
        return False
    try:
        with hold_lock(folder / "judging.lock", timeout=0):
            pass
        # Under this name it is no longer a loop, even if removing it fails.
        gone = folder.rename(folder.with_name(f".{folder.name}-gone"))
    except (LockTimeoutError, FileNotFoundError):
        return False
    shutil.rmtree(gone, ignore_errors=True)
    project = Path(contract.project)
    checkpoints.delete_checkpoints(project, contract.id)
    shutil.rmtree(project / ".untildone" / "rounds" / contract.id, ignore_errors=True)
    return True
