"""The merges of a worker: one at a time, in a thread beside its tasks."""

import threading
from collections.abc import Callable
from contextlib import suppress

from untildone.runs.queue.lease import Lease, LostLease
from untildone.runs.queue.merge_lease import MergeLease
from untildone.runs.queue.merge_run import MergeRun, MergeSurroundings
from untildone.runs.queue.repositories import Repository
from untildone.runs.queue.selection import CanDo
from untildone.runs.queue.worker_folders import WorkerFolders
from untildone.runs.tasks.task_events import Show


class WorkerMerges:
    """`guard` raises if the worker stops or has lost its tasks."""

    def __init__(
        self,
        merges: MergeLease,
        lease: Lease,
        folders: WorkerFolders,
        *,
        can_merge: CanDo,
        guard: Callable[[], None],
        show: Show,
    ) -> None:
        self._merges = merges
        self._lease = lease
        self._folders = folders
        self._can_merge = can_merge
        self._guard = guard
        self._show = show
        self._thread: threading.Thread | None = None

    def is_busy(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def has_waiting(self) -> bool:
        """Say whether tasks wait for a merge that we could do, or that another worker does."""
        return self._lease.insist(lambda: self._merges.has_waiting(self._can_merge))

    def begin(self) -> None:
        """Merge what is done into its branch, if no merge of ours is under way."""
        if self.is_busy():
            return
        turn = self._lease.insist(lambda: self._merges.take(self._can_merge))
        if turn is None:
            return
        around = MergeSurroundings(
            lease=self._lease,
            merges=self._merges,
            repository=Repository(self._folders.repositories, turn.repository),
            folder=self._folders.worktrees,
            can_merge=self._can_merge,
            guard=self._guard,
            show=self._show,
        )
        self._thread = threading.Thread(
            target=_run, args=(MergeRun(turn, around),), daemon=True, name="merge"
        )
        self._thread.start()


def _run(merge: MergeRun) -> None:
    with suppress(LostLease):
        merge.run()
