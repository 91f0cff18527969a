"""The loops of a worker while they run, and what ends them before their agents do."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from untildone.core.verdict import Finish, Pause
from untildone.engine import verbs
from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.runs.queue.deadline_times import explain_passed
from untildone.runs.queue.lease import Lease
from untildone.runs.queue.taken_task import TakenTask
from untildone.runs.queue.task_steps import TaskSteps
from untildone.runs.queue.worker_folders import WorkerFolders
from untildone.store.loops import Record
from untildone.store.trusted_files import forget_trust_below

_ELSEWHERE = "another worker goes on with the task"


class RunningLoops:
    """`steps` has the tasks that go through their steps now, by their ids."""

    def __init__(self, context: Context, lease: Lease, folders: WorkerFolders) -> None:
        self._context = context
        self._lease = lease
        self._folders = folders
        self.steps: dict[str, TaskSteps] = {}

    def clean_up_after_dead_workers(self) -> None:
        """Remove what dead workers of this machine left; their loops go on elsewhere."""
        folders = self._folders.remove_abandoned()
        for folder in folders:
            forget_trust_below(self._context.home, folder.resolve())
        for record in self._context.loops.list_all() if folders else ():
            if not isinstance(record, Record) or record.progress.status == "finished":
                continue
            if any(Path(record.contract.project).is_relative_to(one) for one in folders):
                self._end_loop(record.contract.id, _ELSEWHERE)

    def end_cancelled(self) -> None:
        running = dict(self.steps)
        if not running:
            return
        for name in self._lease.insist(lambda: self._lease.list_cancelling(running)):
            self._end_loop(running[name].loop, "cancelled in the queue")

    def end_overdue(self, taken: Mapping[str, TakenTask]) -> None:
        """Pause the loops whose deadline has passed; that ends their agents, and the work stays."""
        running = dict(self.steps)
        tasks = [taken[name] for name in running if name in taken]
        for name in self._lease.insist(lambda: self._lease.list_overdue(tasks)):
            loop = running[name].loop
            if loop and self._context.loops.load(loop).progress.status == "active":
                reason = explain_passed(taken[name].deadline_ms)
                with suppress(UserError):
                    verbs.end(self._context, loop, Pause(outcome="out-of-time", reason=reason))

    def end_all(self) -> None:
        """End all of them: others go on with their tasks."""
        for steps in list(self.steps.values()):
            self._end_loop(steps.loop, _ELSEWHERE)

    def _end_loop(self, loop: str, reason: str) -> None:
        """End a loop, if it has begun; that ends its agent."""
        if loop:
            # A full disk must not keep the worker from ending.
            with suppress(UserError, OSError):
                verbs.end(self._context, loop, Finish(outcome="cancelled", reason=reason))
