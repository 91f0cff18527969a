"""`run --plan`: work on ready tasks in parallel until all are merged or none is ready."""

import os
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress

from msgspec.structs import replace

from untildone.core.verdict import OUTCOMES, Outcome
from untildone.engine import verbs
from untildone.errors import UserError
from untildone.features.plans.order import list_startable, list_uncompleted
from untildone.process.command import quote_argument
from untildone.process.orphans import end_marked_processes
from untildone.process.runner import end_runs_on_signal
from untildone.runs import run_memory
from untildone.runs.plan.assignment import run_task_checks
from untildone.runs.plan.plan_events import PlanEnded, PlanStarted, TaskSummary
from untildone.runs.plan.plan_journal import PlanJournal, TaskProgress
from untildone.runs.plan.plan_merges import remove_merged_task
from untildone.runs.plan.plan_record import PlanRecord, write_record
from untildone.runs.plan.task_run import PlanContext, TaskRun
from untildone.runs.plan.workspace import (
    Workspace,
    find_tracked_plan,
    list_notices,
    prepare_work_branch,
)
from untildone.runs.stop_request import StopRequest, catch_first_interrupt
from untildone.runs.tasks import worktrees
from untildone.runs.tasks.scheduler import Scheduler
from untildone.runs.tasks.task_events import Show
from untildone.store.home import prepare_home
from untildone.store.lock import LockTimeoutError, hold_lock

# Set in every process that we start, so that a crash can be cleaned up.
_MARK = "UNTILDONE_PLAN"
_LOOK_SECONDS = 0.2
# Failures that every task would have; a crash or a denied tool may be due to one task.
_CLIENT_FAULTS = ("limit", "authentication", "billing", "refused", "network", "missing")
_ELSEWHERE = (
    "it is in progress elsewhere; if nobody works on it, `untildone plan set-status {} not_started`"
)


def run_plan(workspace: Workspace, show: Show) -> PlanEnded:
    """Run the plan, or resume it where an earlier run ended."""
    began = time.monotonic()
    prepare_home(workspace.context.home)
    workspace.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _lock_plan(workspace), end_runs_on_signal():
        environ = {**workspace.context.environ, _MARK: workspace.folder.name}
        workspace = replace(workspace, context=replace(workspace.context, environ=environ))
        journal = PlanJournal(workspace.folder, workspace.context.now)
        prepare_work_branch(workspace, journal)
        workspace = replace(workspace, tracked=find_tracked_plan(workspace))
        stop = StopRequest()
        run = _PlanRun(PlanContext(workspace, journal, show, stop))
        record = _record_start(workspace)
        with catch_first_interrupt(stop):
            run.run_to_end()
        ended = run.make_ended_event(time.monotonic() - began)
        _record_end(workspace, record, ended)
    show("", ended)
    return ended


def _record_start(workspace: Workspace) -> PlanRecord:
    """Remember for the live page which plan it is, and which process runs it."""
    tasks = workspace.plan.tasks
    record = PlanRecord(
        plan=str(workspace.path.resolve()),
        feature=workspace.feature,
        titles={name: task.title for name, task in tasks.items()},
        completed=tuple(name for name, task in tasks.items() if task.status == "completed"),
        started_at=workspace.context.now(),
        process=os.getpid(),
    )
    # A full disk costs the display, not the run.
    with suppress(OSError):
        write_record(workspace.folder, record)
    return record


def _record_end(workspace: Workspace, record: PlanRecord, ended: PlanEnded) -> None:
    at = workspace.context.now()
    with suppress(OSError):
        write_record(
            workspace.folder,
            replace(record, ended_at=at, outcome=ended.outcome, reason=ended.reason),
        )


@contextmanager
def _lock_plan(workspace: Workspace) -> Iterator[None]:
    """Hold the plan's lock and mark our processes, after ending those that a crash left."""
    with ExitStack() as locks:
        try:
            locks.enter_context(hold_lock(workspace.folder / "run.lock", timeout=0))
        except LockTimeoutError:
            raise UserError(
                f"`{workspace.path}` is running already", hint="wait for that run, or end it"
            ) from None
        mark, before = workspace.folder.name, os.environ.get(_MARK)
        end_marked_processes(_MARK, mark)
        os.environ[_MARK] = mark
        try:
            yield
        finally:
            os.environ.pop(_MARK) if before is None else os.environ.update({_MARK: before})


class _PlanRun(Scheduler[str]):
    def __init__(self, shared: PlanContext) -> None:
        self._shared = shared
        self._workspace = shared.workspace
        self._journal = shared.journal
        self._tasks = shared.workspace.plan.tasks
        self._working: dict[Future[TaskProgress], str] = {}
        # Ordered by when they gave up.
        self._given_up: dict[str, TaskProgress] = {}
        self._errors: list[BaseException] = []
        self._red: tuple[str, ...] = ()

    def run_to_end(self) -> None:
        """Start ready tasks until none is left, then check the whole feature."""
        self._show_start()
        for name, task in self._tasks.items():
            if task.status == "in_progress" and self._journal.get(name).step == "waiting":
                reason = _ELSEWHERE.format(quote_argument(name))
                self._given_up[name] = TaskProgress(step="ended", outcome="blocked", reason=reason)
        with ThreadPoolExecutor(max_workers=self.jobs) as self._pool:
            try:
                self.run_tasks()
            except BaseException:
                self._shared.stop.set()
                self.stop_running()
                raise
        if self._errors:
            raise self._errors[0]
        if not self._list_remaining() and not self._shared.stop.is_set():
            self._check_feature()

    def _list_remaining(self) -> tuple[str, ...]:
        return list_uncompleted(self._tasks, completed=self._journal.list_merged())

    def _show_start(self) -> None:
        workspace = self._workspace
        self._shared.show(
            "",
            PlanStarted(
                plan=str(workspace.path),
                feature=workspace.feature,
                branch=workspace.branch if workspace.git else "",
                base=self._journal.base,
                jobs=workspace.jobs,
                tasks=self._list_remaining(),
                notices=list_notices(workspace),
            ),
        )

    @property
    def jobs(self) -> int:
        return self._workspace.jobs

    def take(self) -> str | None:
        """Return the next ready task."""
        if self._has_no_client():
            return None
        merged, excluded = self._journal.list_merged(), {*self._working.values(), *self._given_up}
        names = list_startable(self._tasks, completed=merged, excluded=excluded)
        return next(iter(names), None)

    def start(self, task: str) -> None:
        self._working[self._pool.submit(TaskRun(self._shared, task).run_to_end)] = task

    def count_running(self) -> int:
        return len(self._working)

    def is_stopping(self) -> bool:
        return self._shared.stop.is_set()

    def expects_more(self) -> bool:
        return False

    def wait(self) -> None:
        wait(self._working, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)

    def _has_no_client(self) -> bool:
        """Say whether a task failed for a reason that would fail the next one too."""
        return any(state.fault in _CLIENT_FAULTS for state in self._given_up.values())

    def note_ended(self) -> None:
        """Note how the tasks that have ended did."""
        for future in [future for future in self._working if future.done()]:
            name = self._working.pop(future)
            error = future.exception()
            if error:
                # Other tasks end first, then the failure is reported.
                self._errors.append(error)
                self._shared.stop.set()
            elif future.result().step != "merged":
                self._given_up[name] = future.result()

    def stop_running(self) -> None:
        """End the working agents gently; their loops can be resumed."""
        for name in self._working.values():
            for loop in self._journal.get(name).loops[-1:]:
                with suppress(UserError):
                    verbs.pause(self._workspace.context, loop)

    def _check_feature(self) -> None:
        """Run every check of every task on the last merged tree."""
        workspace, git = self._workspace, self._workspace.git
        last = next(reversed(self._journal.list_merged()), "whole")
        project = workspace.get_project(last)
        if git and not project.exists():
            tip = git.get_tip(workspace.branch)
            git.ask("worktree", "prune")
            workspace.get_worktree(last).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            worktrees.check_out(git, workspace.get_worktree(last), "--detach", commit=tip)
        results = run_task_checks(workspace, project, self._tasks)
        self._red = tuple(result.name for result in results if not result.green)
        if git and not self._red:
            worktrees.remove_worktree(git, workspace.get_worktree("whole"))
            for name in self._journal.list_merged():
                if workspace.get_worktree(name).exists():
                    remove_merged_task(workspace, name)
            for folder in (workspace.worktrees, workspace.worktrees.parent):
                # Other plans may have worktrees there.
                with suppress(OSError):
                    folder.rmdir()

    def make_ended_event(self, seconds: float) -> PlanEnded:
        outcome, reason = self._decide_outcome()
        workspace, git = self._workspace, self._workspace.git
        return PlanEnded(
            outcome=outcome,
            reason=reason,
            exit_code=OUTCOMES[outcome].exit_code,
            branch=workspace.branch if git else "",
            commit=git.get_tip(workspace.branch) if git else "",
            red=self._red,
            seconds=round(seconds, 1),
            tasks=tuple(self._summarize_task(name) for name in self._tasks),
        )

    def _decide_outcome(self) -> tuple[Outcome, str]:
        for name, state in self._given_up.items():
            return state.outcome or "paused", f"{name}: {state.reason or 'interrupted'}"
        if self._shared.stop.is_set():
            return "paused", "interrupted by you"
        if self._red:
            return "unverified", f"the whole feature is red: {', '.join(self._red)}"
        merged = self._journal.list_merged()
        claimed = [name for name in merged if self._journal.get(name).outcome == "claimed"]
        if claimed:
            return "claimed", f"every task is merged; by words alone: {', '.join(claimed)}"
        return "done", "every task is verified and merged, and the whole feature is green"

    def _summarize_task(self, name: str) -> TaskSummary:
        context, task = self._workspace.context, self._tasks[name]
        state = self._given_up.get(name) or self._journal.get(name)
        loops = [context.loops.load(loop).progress for loop in state.loops]
        memories = [run_memory.read(context, loop) for loop in state.loops]
        spent = [loop.spend_usd for loop in loops if loop.spend_usd is not None]
        return TaskSummary(
            id=name,
            title=task.title,
            step="merged" if task.status == "completed" else state.step,
            outcome=state.outcome,
            reason=state.reason,
            rounds=sum(loop.round for loop in loops),
            calls=sum(memory.calls for memory in memories if memory),
            spend_usd=sum(spent) if spent else None,
            seconds=round(sum(loop.active_seconds for loop in loops), 1),
            loop=next(reversed(state.loops), ""),
            fault=state.fault,
        )
