"""One task of a plan, step by step up to its merge; a crash resumes at the last step."""

import threading
import uuid
from collections.abc import Callable
from functools import partial

import msgspec
from msgspec.structs import replace

from untildone.agents.headless import RunEvent
from untildone.engine import verbs
from untildone.engine.context import update_index
from untildone.engine.loop_start import begin_loop
from untildone.errors import UserError
from untildone.process.command import quote_argument
from untildone.runs import run_memory
from untildone.runs.outer_loop import drive
from untildone.runs.plan import assignment
from untildone.runs.plan.plan_events import TaskBegan
from untildone.runs.plan.plan_journal import PlanJournal, TaskProgress, make_attempt
from untildone.runs.plan.plan_merges import PlanMerges
from untildone.runs.plan.workspace import Workspace
from untildone.runs.run_memory import RunMemory
from untildone.runs.tasks import worktrees
from untildone.runs.tasks.git_answers import Git
from untildone.runs.tasks.loop_baseline import record_baseline
from untildone.runs.tasks.recorded_steps import Step, run_steps
from untildone.runs.tasks.task_events import Show
from untildone.store.loops import Record


class PlanContext:
    """What the tasks of one run share; `merges` takes what they have done."""

    def __init__(
        self, workspace: Workspace, journal: PlanJournal, show: Show, stop: threading.Event
    ) -> None:
        self.workspace = workspace
        self.journal = journal
        self.stop = stop
        self._shows = threading.Lock()
        self._show = show
        self.merges = PlanMerges(workspace, journal, self.show)

    def show(self, task: str, event: RunEvent) -> None:
        with self._shows:
            self._show(task, event)


class TaskRun:
    def __init__(self, shared: PlanContext, name: str) -> None:
        self.name = name
        self._shared = shared
        self._workspace = shared.workspace
        self._task = shared.workspace.plan.tasks[name]
        self._git = Git(shared.workspace.get_worktree(name)) if shared.workspace.git else None
        # The new session of an attempt; no loop can exist in it yet.
        self._new_session = ""

    def run_to_end(self) -> TaskProgress:
        """Resume the task at its last step and take it to its end."""
        state = self._resume_task(self._shared.journal.get(self.name))
        self._restore_worktree(state)
        while not self._is_over(state):
            # A task that a merge sent back goes through its steps again.
            steps = (Step(name="work", run=self._drive), Step(name="merge", run=self._merge))
            state = run_steps(steps, state, record=self._record_step, ends=self._is_over)
        return state

    def _is_over(self, state: TaskProgress) -> bool:
        return state.step in ("ended", "merged") or self._shared.stop.is_set()

    def _record_step(self, name: str, step: Callable[[], str]) -> str:
        """Run a step, unless the journal has its result: the plan's journal is the record."""
        state = self._shared.journal.get(self.name)
        is_recorded = name == "work" and state.step in ("verified", "merging")
        return msgspec.json.encode(state).decode() if is_recorded else step()

    def _merge(self, _state: TaskProgress) -> TaskProgress:
        return self._shared.merges.merge(self.name)

    def _record(self, state: TaskProgress) -> TaskProgress:
        return self._shared.journal.append(self.name, state)

    def _resume_task(self, state: TaskProgress) -> TaskProgress:
        """Work again on a task that ended in an earlier run."""
        if state.step == "waiting":
            self._require_own_worktree()
            return self._begin_attempt(replace(state, onto=self._find_tip()))
        if state.step != "ended":
            return state
        if state.commit and state.outcome == "blocked":
            # Its merge was hindered by something else.
            return self._record(replace(state, step="verified"))
        if state.loops and not state.commit:
            progress = self._workspace.context.loops.load(state.loops[-1]).progress
            # The user may have continued its loop meanwhile until it was done.
            if progress.outcome != "cancelled":
                return self._record(replace(state, step="begun"))
        return self._begin_attempt(replace(state, earlier=len(state.loops)))

    def _restore_worktree(self, state: TaskProgress) -> None:
        """Check the worktree out again if it was removed; its commits still exist."""
        git, path = self._workspace.git, self._workspace.get_worktree(self.name)
        is_needed = bool(state.loops) and not path.exists()
        if not git or not self._git or not is_needed:
            return
        branch = self._workspace.get_task_branch(self.name)
        commit = git.find_commit(f"refs/heads/{branch}") or state.onto
        worktrees.make_worktree(git, path, branch=branch, commit=state.commit or commit)
        if state.tree and not state.commit:
            worktrees.restore_tree(self._git, state.tree)

    def _require_own_worktree(self) -> None:
        git, branch = self._workspace.git, self._workspace.get_task_branch(self.name)
        path = self._workspace.get_worktree(self.name)
        if git and path.exists():
            raise UserError(
                f"task `{self.name}` has a worktree already: `{path}`",
                hint=f"`git worktree remove --force {quote_argument(str(path))}` removes it",
            )
        if git and git.find_commit(f"refs/heads/{branch}"):
            raise UserError(
                f"task `{self.name}` has a branch already: `{branch}`",
                hint=f"rename it: `git branch -m {branch} NAME`",
            )

    def _find_tip(self) -> str:
        git = self._workspace.git
        return git.get_tip(self._workspace.branch) if git else ""

    def _begin_attempt(self, state: TaskProgress) -> TaskProgress:
        """Begin an attempt in a new session."""
        self._new_session = str(uuid.uuid4())
        return self._record(make_attempt(state, self._new_session))

    def _drive(self, state: TaskProgress) -> TaskProgress:
        """Run the loop of this attempt; commit its work if it is verified."""
        record = self._open_loop(state)
        state = self._shared.journal.get(self.name)
        context, loop = self._workspace.context, record.contract.id
        began = TaskBegan(
            title=self._task.title,
            attempt=len(state.loops),
            folder=str(self._workspace.get_project(self.name)),
            evidence=state.evidence,
        )
        self._shared.show(self.name, began)
        if record.progress.status == "paused":
            record = verbs.resume(context, loop)
        fault = None
        if record.progress.status == "active":
            fault = drive(context, loop, show=partial(self._shared.show, self.name)).fault
            record = context.loops.load(loop)
        progress = record.progress
        outcome = progress.outcome or "unverified"
        state = replace(state, outcome=outcome, reason=progress.reason, fault=fault)
        if outcome not in ("done", "claimed"):
            return self._record(replace(state, step="ended"))
        return self._record(replace(state, step="verified", commit=self._commit_work(state)))

    def _open_loop(self, state: TaskProgress) -> Record:
        """Return the loop of this attempt: the one a crash left, or a new one."""
        context = self._workspace.context
        record = self._find_loop(state.session)
        if record is None:
            self._prepare_worktree(state)
            record = begin_loop(context, assignment.make_request(self._workspace, self.name, state))
        elif self._git:
            worktrees.unlock(self._git)
        loop = record.contract.id
        if record.progress.status == "active":
            update_index(context, record)
        if not record.progress.baseline and record.progress.status == "active":
            record = record_baseline(context, record)
        if run_memory.read(context, loop) is None:
            run_memory.write(context, loop, RunMemory(options=self._workspace.options))
        if loop not in state.loops:
            self._record(replace(state, loops=(*state.loops, loop)))
        return record

    def _find_loop(self, session: str) -> Record | None:
        if session == self._new_session:
            return None
        for record in self._workspace.context.loops.list_all():
            if isinstance(record, Record) and record.contract.session == session:
                return record
        return None

    def _prepare_worktree(self, state: TaskProgress) -> None:
        """Check out the work branch for a first attempt, the failed merge for a later one."""
        git, path = self._workspace.git, self._workspace.get_worktree(self.name)
        if not git or not self._git:
            return
        if not state.loops:
            branch = self._workspace.get_task_branch(self.name)
            worktrees.make_worktree(git, path, branch=branch, commit=state.onto)
        elif state.tree:
            worktrees.unlock(self._git)
            worktrees.restore_tree(self._git, state.tree)

    def _commit_work(self, state: TaskProgress) -> str:
        if not self._git:
            return ""
        return worktrees.commit_worktree(
            self._git,
            branch=self._workspace.get_task_branch(self.name),
            onto=state.onto,
            plan=self._workspace.tracked,
            message=f"{self.name}: {self._task.title}",
        )
