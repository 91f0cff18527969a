"""Removes the state of a finished loop, at its end or later, if the user chose so."""

import shutil
from pathlib import Path

from untildone.core.contract import Contract
from untildone.engine.context import Context
from untildone.features.spec import checkpoints
from untildone.store.lock import LockTimeoutError, hold_lock
from untildone.store.loops import Record


def remove_finished_loop(context: Context, loop: str) -> bool:
    """Remove the folder, checkpoints and round files of a finished loop; say whether it was done.

    Nothing is removed while a stop of the loop is being judged: that still needs the state, and
    calls this function again at its end.
    """
    if not context.loops.get_folder(loop).exists():
        return False
    record = context.loops.load(loop)
    if not record.contract.clean or record.progress.status != "finished":
        return False
    return remove_state(context, record.contract)


def offer_deletion(record: Record) -> str:
    """Return the offer to delete what is kept of a finished loop from a spec; else empty."""
    contract = record.contract
    if contract.preset != "loop" or contract.clean or record.progress.status != "finished":
        return ""
    return f"its state is kept; `untildone clean {contract.id}` deletes it"


def remove_state(context: Context, contract: Contract) -> bool:
    """Remove what is kept of a loop, unless it is being judged; say whether it was done."""
    folder = context.loops.get_folder(contract.id)
    try:
        # The lock is free only if no stop is being judged.
        with hold_lock(folder / "judging.lock", timeout=0):
            pass
        # Under this name it is no longer a loop, even if removing it fails.
        removed_folder = folder.rename(folder.with_name(f".{folder.name}-gone"))
    except (LockTimeoutError, FileNotFoundError):
        return False
    shutil.rmtree(removed_folder, ignore_errors=True)
    project = Path(contract.project)
    checkpoints.delete_checkpoints(project, contract.id)
    shutil.rmtree(project / ".untildone" / "rounds" / contract.id, ignore_errors=True)
    return True
