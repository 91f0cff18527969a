"""The folders of a worker: repositories that several share, and worktrees of its own."""

import os
import shutil
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from msgspec.structs import replace

from untildone.engine.context import Context
from untildone.process.orphans import end_marked_processes
from untildone.store.lock import LockTimeoutError, hold_lock

# Set in every process that a worker starts, so that a crash can be cleaned up.
_MARK = "UNTILDONE_WORKER"


class WorkerFolders:
    """Held while the worker lives: its lock tells the others of this machine that it does."""

    def __init__(self, home: Path, worker: str) -> None:
        # Beside our state folder, which agents may not touch.
        base = home.with_name(f"{home.name}-worktrees") / "queue"
        self.repositories = base / "repositories"
        self._workers = base / "workers"
        self._worker = worker
        self.worktrees = self._workers / worker
        self._held = ExitStack()
        self._before = os.environ.get(_MARK)

    def __enter__(self) -> "WorkerFolders":
        self._workers.mkdir(parents=True, exist_ok=True, mode=0o700)
        # First the lock: a folder without one looks abandoned.
        self._held.enter_context(hold_lock(self._get_lock(self._worker), timeout=0))
        self.worktrees.mkdir(mode=0o700)
        os.environ[_MARK] = self._worker
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        os.environ.pop(_MARK) if self._before is None else os.environ.update({_MARK: self._before})
        shutil.rmtree(self.worktrees, ignore_errors=True)
        self._held.close()
        self._get_lock(self._worker).unlink(missing_ok=True)

    def mark(self, context: Context) -> Context:
        """Return the context whose programs carry our mark."""
        return replace(context, environ={**context.environ, _MARK: self._worker})

    def end_processes(self) -> None:
        """End what this worker started and did not end itself."""
        end_marked_processes(_MARK, self._worker)

    def remove_abandoned(self) -> tuple[Path, ...]:
        """End the processes of dead workers of this machine; remove and return their folders."""
        removed = []
        for folder in self._workers.iterdir():
            if not folder.is_dir() or folder.name == self._worker:
                continue
            lock = self._get_lock(folder.name)
            try:
                with hold_lock(lock, timeout=0):
                    end_marked_processes(_MARK, folder.name)
                    shutil.rmtree(folder, ignore_errors=True)
            except LockTimeoutError:
                continue
            lock.unlink(missing_ok=True)
            removed.append(folder)
        return tuple(removed)

    def _get_lock(self, worker: str) -> Path:
        return self._workers / f"{worker}.lock"
