"""A worker: takes tasks that it can do and runs their steps as durable workflows of dbos.

Which worker does which task is decided in our own table, because a queue of dbos knows neither
agents nor labels, repositories, dependencies or a limit for one process. The task is then a
workflow; dbos records its steps and, when another worker resumes it in a queue that only that one
reads, refuses every later record of the first one.
"""

import threading
from collections.abc import Callable
from concurrent.futures import wait
from contextlib import ExitStack, suppress
from functools import partial

import sqlalchemy as sa
from msgspec.structs import replace

from untildone.agents.headless import RunEvent
from untildone.agents.registry import find_agent
from untildone.core.text import to_one_line
from untildone.engine.context import Context
from untildone.process.runner import end_runs_on_signal
from untildone.runs.queue.abilities import Abilities
from untildone.runs.queue.address import hide_password, is_shared
from untildone.runs.queue.background_work import begin_work
from untildone.runs.queue.database import (
    create_engine,
    explain_failure,
    prepare_workflow_tables,
)
from untildone.runs.queue.lease import Lease, LostLease
from untildone.runs.queue.losses import Loss, describe_database_error, find_database_loss
from untildone.runs.queue.merge_lease import MergeLease
from untildone.runs.queue.redaction import hide_errors
from untildone.runs.queue.repositories import Repository
from untildone.runs.queue.running_loops import RunningLoops
from untildone.runs.queue.taken_task import TakenTask
from untildone.runs.queue.task_steps import Show, Surroundings, TaskSteps
from untildone.runs.queue.values import Course, encode
from untildone.runs.queue.worker_events import (
    TaskEnded,
    TaskFailed,
    TaskReturned,
    TaskTaken,
    WorkerBuried,
    WorkerDraining,
    WorkerEnded,
    WorkerStarted,
)
from untildone.runs.queue.worker_folders import WorkerFolders
from untildone.runs.queue.worker_merges import WorkerMerges
from untildone.runs.queue.worker_settings import WorkerSettings, choose_silence
from untildone.runs.queue.workflows import CONNECTIONS, Workflows
from untildone.runs.stop_request import StopRequest, catch_first_interrupt
from untildone.runs.tasks.recorded_steps import run_steps
from untildone.runs.tasks.scheduler import Scheduler
from untildone.store.trusted_files import forget_trust_below

EXIT_STOPPED = 130
_LOOK_SECONDS = 0.5
_IDLE_SECONDS = 1.0
_FAILED = Course(
    outcome="unverified", reason="untildone failed; the worker's output says how", fault="failed"
)


def run_worker(context: Context, engine: sa.Engine, settings: WorkerSettings, show: Show) -> int:
    """Work until the user ends it, or with `once` until nothing is left; return the exit code."""
    prepare_workflow_tables(settings.url, engine)
    stop = StopRequest()
    with ExitStack() as stack:
        folders = stack.enter_context(WorkerFolders(context.home, settings.identity.id))
        stack.enter_context(end_runs_on_signal())
        with explain_failure(settings.url):
            worker = _Worker(folders.mark(context), engine, settings, folders, show)
            stack.callback(worker.close)
            worker.begin()
        try:
            with catch_first_interrupt(stop):
                reason, code = worker.run(stop), 0
        except KeyboardInterrupt:
            reason, code = "stopped; others may take its tasks", EXIT_STOPPED
        if worker.lease.is_lost.is_set():
            reason, code = worker.lease.loss.reason, worker.lease.loss.exit_code
    show("", WorkerEnded(worker=settings.identity.id, reason=reason, exit_code=code))
    return code


class _Worker(Scheduler[TakenTask]):
    def __init__(
        self,
        context: Context,
        engine: sa.Engine,
        settings: WorkerSettings,
        folders: WorkerFolders,
        show: Show,
    ) -> None:
        self._context = context
        self._settings = settings
        self._folders = folders
        self._shows = threading.Lock()
        self._show_event = show
        self._identity = settings.identity
        self._abilities = Abilities(
            agents=self._identity.agents,
            labels=self._identity.labels,
            repositories=settings.repositories,
        )
        self.lease = Lease(engine, self._identity, seconds=settings.lease, now=context.now)
        self._merges = WorkerMerges(
            MergeLease(engine, self.lease, context.now),
            self.lease,
            folders,
            can_merge=self._abilities.can_merge,
            guard=self._require_going_on,
            show=self._show,
        )
        self._stop = StopRequest()
        self._reason_to_end = ""
        self._drain = threading.Event()
        self._halting = threading.Event()
        # A task has ended: there may be room for the next one.
        self._has_ended = threading.Event()
        self._taken: dict[str, TakenTask] = {}
        self._loops = RunningLoops(context, self.lease, folders)
        self._workflows = self._open_workflows()

    def _open_workflows(self) -> Workflows:
        url, lease = self._settings.url, self._settings.lease
        engine = create_engine(url, silence=choose_silence(lease), connections=CONNECTIONS)
        return Workflows(url, engine, worker=self._identity.id, run=self._run_and_hide_errors)

    def begin(self) -> None:
        """Show ourselves to the other workers and to the user."""
        self.lease.register()
        started = WorkerStarted(
            worker=self._identity.id,
            pid=self._identity.pid,
            database=hide_password(self._settings.url),
            agents=self._identity.agents,
            labels=self._identity.labels,
            jobs=self._identity.jobs,
        )
        self._show("", started)
        threading.Thread(target=self._beat, name="beats", daemon=True).start()

    def _beat(self) -> None:
        with suppress(LostLease):
            self.lease.beat_until_stopped(self._drain)

    def run(self, stop: StopRequest) -> str:
        """Work until the end and return its reason; empty if the lease was lost.

        The work is done in another thread: this one never waits for the database, so that it can
        be interrupted and ends the agents in time.
        """
        self._loops.clean_up_after_dead_workers()
        self._stop = stop
        work = begin_work(self._work)
        while not work.done() and not self.lease.is_lost.is_set():
            look = self.lease.watch.look()
            if look.event:
                self._show("", look.event)
            if look.loss:
                self.lease.give_up(look.loss)
            wait([work], timeout=_LOOK_SECONDS)
        return "" if self.lease.is_lost.is_set() else work.result()

    def _work(self) -> str:
        """Take and start tasks until the end; return its reason."""
        self.run_tasks()
        return "drained" if self._drain.is_set() else self._reason_to_end

    @property
    def jobs(self) -> int:
        return self._identity.jobs

    def take(self) -> TakenTask | None:
        return self.lease.insist(lambda: self.lease.take(self._abilities.can_do))

    def start(self, task: TakenTask) -> None:
        self._taken[task.id] = task
        taken = TaskTaken(
            title=to_one_line(task.options.task),
            repository=task.repository,
            is_taken_over=task.is_taken_over,
        )
        self._show(task.id, taken)
        self.lease.insist(partial(self._start, task))

    def count_running(self) -> int:
        return len(self._taken)

    def is_busy(self) -> bool:
        """Say whether tasks or a merge have to end first; others have those that are lost."""
        is_working = bool(self._taken) or self._merges.is_busy()
        return is_working and not self._has_given_up()

    def note_ended(self) -> None:
        """Look after dead workers, cancelled tasks, and what waits for its merge."""
        if self._has_given_up():
            return
        for dead in self.lease.insist(self.lease.bury_dead_workers):
            self._show("", WorkerBuried(worker=dead))
            self._loops.clean_up_after_dead_workers()
        self._loops.end_cancelled()
        self._loops.end_overdue(dict(self._taken))
        if not self.is_stopping():
            self._merges.begin()

    def is_stopping(self) -> bool:
        return self._stop.asked or self._drain.is_set() or self._has_given_up()

    def stop_running(self) -> None:
        """Let the tasks go on to their ends."""
        if self._stop.asked and not self._drain.is_set():
            self._drain.set()
            self._show("", WorkerDraining(reason="Ctrl-C ends it when its tasks have ended"))

    def expects_more(self) -> bool:
        lease, settings = self.lease, self._settings
        if not settings.wait and lease.insist(lease.is_asleep):
            self._reason_to_end = "its accounts are at their usage limits"
            return False
        if not settings.once:
            return True
        self._reason_to_end = "nothing is left to do"
        has_task = lease.insist(
            lambda: lease.has_open_task(self._abilities.can_do, even_asleep=settings.wait)
        )
        return has_task or self._merges.has_waiting()

    def wait(self) -> None:
        is_idle = not self._taken and is_shared(self._settings.url)
        self._has_ended.wait(_IDLE_SECONDS if is_idle else _LOOK_SECONDS)
        self._has_ended.clear()

    def _require_going_on(self) -> None:
        if self._has_given_up():
            raise LostLease

    def _start(self, task: TakenTask) -> None:
        if not self._workflows.start(task.workflow, task.id):
            self._end(task, _FAILED)

    def _run_and_hide_errors(self, name: str) -> str:
        with hide_errors(self._context.environ, partial(self._tell, name)):
            return self._run_workflow(name)

    def _run_workflow(self, name: str) -> str:
        """Run the steps of a task in a thread of dbos."""
        task = self._taken[name]
        steps = TaskSteps(task, self._make_surroundings(task))
        self._loops.steps[name] = steps
        course = _FAILED
        try:
            course = run_steps(
                steps.list_steps(),
                Course(),
                record=partial(self._record, task.id),
                ends=lambda found: found.is_over,
            )
        except sa.exc.DBAPIError as error:
            # What cannot be recorded here is no failure of the task: others go on with it.
            reason = f"the database refused a step: {describe_database_error(error)}"
            self.lease.give_up(find_database_loss(error) or Loss(reason=reason))
            raise LostLease from None
        finally:
            # An error of ours is recorded by dbos, and must not leave the task running forever.
            if not self._has_given_up():
                self._guard(lambda: self._end(task, course))
            self._loops.steps.pop(name, None)
            steps.remove_worktree()
        return encode(course)

    def _record(self, task: str, name: str, step: Callable[[], str]) -> str:
        def run() -> str:
            with hide_errors(self._context.environ, partial(self._tell, task)):
                return self._guard(step)

        return self._workflows.record(name, run)

    def _tell(self, task: str, error: str) -> None:
        self._show(task, TaskFailed(error=error))

    def _guard(self, action: Callable[[], str]) -> str:
        """Run an action; what is done without the lease or while we stop is never recorded."""
        try:
            return action()
        finally:
            if self._has_given_up():
                raise LostLease

    def _has_given_up(self) -> bool:
        return self._halting.is_set() or self.lease.is_lost.is_set()

    def _make_surroundings(self, task: TakenTask) -> Surroundings:
        agent = task.agent or self._identity.agents[0]
        return Surroundings(
            context=replace(self._context, agent=find_agent(agent)),
            lease=self.lease,
            repository=Repository(self._folders.repositories, task.repository),
            folder=self._folders.worktrees,
            options=self._settings.options,
            trust=self._settings.trust,
            show=self._show,
        )

    def _end(self, task: TakenTask, course: Course) -> str:
        state = self.lease.insist(lambda: self.lease.finish(task, course))
        self._loops.steps.pop(task.id, None)
        self._taken.pop(task.id, None)
        self._has_ended.set()
        if state == "queued":
            self._show(task.id, TaskReturned(reason=course.reason))
            return state
        ended = TaskEnded(
            state=state,
            outcome=course.outcome or "unverified",
            reason=course.reason,
            branch=course.branch,
            commit=course.commit,
        )
        self._show(task.id, ended)
        return state

    def close(self) -> None:
        """End everything; tasks that are left go on elsewhere from their last recorded round."""
        self._halting.set()
        self._loops.end_all()
        self.lease.is_stopped.set()
        self._folders.end_processes()
        forget_trust_below(self._context.home, self._folders.worktrees.resolve())
        if self.lease.watch.is_away:
            # The others wait for the end of the lease; dbos would wait for the database.
            return
        with suppress(sa.exc.SQLAlchemyError):
            self.lease.end()
            self._workflows.forget_queue()
        self._workflows.close()

    def _show(self, task: str, event: RunEvent) -> None:
        with self._shows:
            self._show_event(task, event)
