"""One task of a plan, step by step up to its merge; a crash resumes at the last step."""

import threading
import uuid
from functools import partial

from msgspec.structs import replace

from untildone.agents.headless import RunEvent
from untildone.core.check_results import CheckResult
from untildone.engine import verbs
from untildone.engine.context import update_index
from untildone.engine.loop_start import begin_loop
from untildone.errors import UserError
from untildone.features.plans.editing import change_plan, edit_status
from untildone.process.command import quote_argument
from untildone.runs import run_memory
from untildone.runs.outer_loop import drive
from untildone.runs.plan import assignment
from untildone.runs.plan.plan_events import TaskBegan
from untildone.runs.plan.plan_journal import PlanJournal, TaskProgress
from untildone.runs.plan.plan_status import complete_task_in_tree
from untildone.runs.plan.workspace import Workspace, require_free_branch
from untildone.runs.run_memory import RunMemory
from untildone.runs.tasks import worktrees
from untildone.runs.tasks.git_answers import Git
from untildone.runs.tasks.loop_baseline import record_baseline
from untildone.runs.tasks.task_events import Show, TaskMerged, TaskSentBack
from untildone.store.loops import Record


class PlanContext:
    """What the tasks of one run share; `merges` serialises their merges."""

    def __init__(
        self, workspace: Workspace, journal: PlanJournal, show: Show, stop: threading.Event
    ) -> None:
        self.workspace = workspace
        self.journal = journal
        self.stop = stop
        self.merges = threading.Lock()
        self._shows = threading.Lock()
        self._show = show

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
        while state.step not in ("ended", "merged") and not self._shared.stop.is_set():
            match state.step:
                case "begun":
                    state = self._drive(state)
                case _:
                    with self._shared.merges:
                        state = self._merge(state)
        return state

    def _record(self, state: TaskProgress) -> TaskProgress:
        return self._shared.journal.append(self.name, state)

    def _resume_task(self, state: TaskProgress) -> TaskProgress:
        """Work again on a task that ended in an earlier run."""
        if state.step == "waiting":
            self._require_own_worktree()
            return self._begin_attempt(replace(state, onto=self._find_tip()))
        if state.step != "ended":
            return state
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
        state = replace(state, step="begun", session=self._new_session, outcome=None, reason="")
        return self._record(replace(state, fault=None, commit="", merge=""))

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

    def _merge(self, state: TaskProgress) -> TaskProgress:
        """Merge the verified work if all checks stay green; else send it back to its agent."""
        workspace, git = self._workspace, self._git
        if not git or not workspace.git:
            return self._settle(state, ())
        require_free_branch(workspace.git, workspace.branch)
        tip = self._find_tip()
        if state.step == "merging" and self._advance_branch(git, state, tip):
            return self._settle(state, ())
        worktrees.unlock(git)
        merged = worktrees.merge_trees(git, tip, state.commit)
        if merged.conflicts:
            names = ", ".join(f"`{name}`" for name in merged.conflicts)
            reason = f"merging it into `{workspace.branch}` conflicts in {names}"
            return self._send_back(state, tip, merged, reason)
        tree = merged.tree
        worktrees.restore_tree(git, tree)
        if workspace.tracked:
            tree = complete_task_in_tree(git, plan=workspace.tracked, task=self.name)
        # The checks of all merged tasks must still pass.
        tasks = (*self._shared.journal.list_merged(), self.name)
        results = assignment.run_task_checks(workspace, workspace.get_project(self.name), tasks)
        if not all(result.green for result in results):
            failures = assignment.describe_failures(results)
            reason = f"merged into `{workspace.branch}` its checks fail:\n{failures}"
            return self._send_back(state, tip, replace(merged, tree=tree), reason)
        message = f"Merge {self.name}: {self._task.title}"
        commit = git.make_commit(tree, tip, state.commit, message=message)
        state = self._record(replace(state, step="merging", onto=tip, merge=commit))
        git.move_branch(workspace.branch, commit, onto=tip)
        return self._settle(state, results)

    def _advance_branch(self, git: Git, state: TaskProgress, tip: str) -> bool:
        """Move the work branch to the verified merge, unless it is there already."""
        if not git.find_commit(state.merge):
            return False
        if tip != state.onto:
            return git.contains(tip, state.merge)
        git.move_branch(self._workspace.branch, state.merge, onto=tip)
        return True

    def _settle(self, state: TaskProgress, results: tuple[CheckResult, ...]) -> TaskProgress:
        """Mark the task as merged and remove the worktree of the one merged before."""
        workspace = self._workspace
        if not workspace.tracked:
            change_plan(workspace.path, lambda plan: edit_status(plan, self.name, "completed"))
        last = self._shared.journal.list_merged()[-1:]
        state = self._record(replace(state, step="merged", evidence="", conflicts=()))
        names = tuple(result.name for result in results)
        self._shared.show(self.name, TaskMerged(commit=state.merge, checks=names))
        # The newest worktree stays until the whole feature was checked in it.
        for name in last:
            remove_merged_task(workspace, name)
        return state

    def _send_back(
        self, state: TaskProgress, tip: str, merged: worktrees.Merged, reason: str
    ) -> TaskProgress:
        """Begin another attempt on the merged tree, unless the rounds are used up."""
        self._shared.show(self.name, TaskSentBack(reason=reason))
        rounds = assignment.count_rounds(self._workspace, state)
        state = replace(
            state,
            evidence=reason,
            tree=merged.tree,
            onto=tip,
            beside=self._shared.journal.list_merged(),
            conflicts=merged.conflicts,
        )
        if self._workspace.bounds.rounds and rounds >= self._workspace.bounds.rounds:
            state = replace(state, step="ended", outcome="out-of-rounds", reason=reason)
            return self._record(state)
        return self._begin_attempt(state)


def remove_merged_task(workspace: Workspace, name: str) -> None:
    """Remove worktree and branch of a merged task."""
    if workspace.git:
        worktrees.remove_worktree(workspace.git, workspace.get_worktree(name))
        workspace.git.ask_or_empty("branch", "-D", workspace.get_task_branch(name))
