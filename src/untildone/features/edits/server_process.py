"""The process that keeps a project's language servers running between hooks, until it is idle."""

import os
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

import msgspec

from untildone.checks.lsp.daemon_socket import open_listener
from untildone.checks.lsp.pool import ServerPool, serve_pool
from untildone.engine.context import Context, has_run_checks, project_folder
from untildone.features.edits.server_client import ADDRESS_FILE, load_address
from untildone.process.runner import end_runs_on_signal
from untildone.store.durable_files import write_atomically
from untildone.store.lock import LockTimeoutError, hold_lock

IDLE_SECONDS = 300.0
# A process that is just ending still has to end its servers.
_LOCK_SECONDS = 2.0


def keep_warm(
    context: Context, project: Path, files: Sequence[Path], *, idle: float = IDLE_SECONDS
) -> None:
    """Answer questions until none came for `idle` seconds; return if another process does that.

    The servers open `files` at once, so that the first question about them is answered soon.
    """
    if not context.home.is_dir():
        return
    project = project.resolve()
    folder = project_folder(context.home, project)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (
        suppress(LockTimeoutError),
        hold_lock(folder / "diagnose.lock", timeout=_LOCK_SECONDS),
        end_runs_on_signal(),
        open_listener(folder) as (listener, address),
    ):
        write_atomically(folder / ADDRESS_FILE, msgspec.json.encode(address), keep_previous=False)
        # Servers that the project brings are its code: they run only if its checks have run.
        allows_project_servers = has_run_checks(context.home, project)
        with closing(
            ServerPool(project, path=os.environ.get("PATH", ""), allow_own=allows_project_servers)
        ) as pool:
            try:
                pool.diagnose(files, seconds=0)
                # The process ends if the state folder or the project is removed.
                serve_pool(
                    listener,
                    pool,
                    token=address.token,
                    idle=idle,
                    is_wanted=lambda: load_address(folder) == address and project.is_dir(),
                )
            finally:
                # Before the servers end, so that the next client starts another process.
                if load_address(folder) == address:
                    (folder / ADDRESS_FILE).unlink(missing_ok=True)
