"""One task from its beginning to its merge, step by step; a crash resumes at the last step."""

import threading
import uuid
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from msgspec.structs import replace

from untildone.agents.headless import RunEvent
from untildone.core.check_results import CheckResult
from untildone.engine import verbs
from untildone.engine.context import update_index
from untildone.errors import UserError
from untildone.features.plans.editing import change_plan, edit_status
from untildone.process.command import quote_argument
from untildone.runs import memory
from untildone.runs.memory import RunMemory
from untildone.runs.outer_loop import drive
from untildone.runs.plan import merging, worktrees
from untildone.runs.plan.assignment import (
    count_rounds,
    describe_failures,
    make_request,
    record_baseline,
    run_task_checks,
    start_loop,
)
from untildone.runs.plan.events import TaskBegan, TaskMerged, TaskSentBack
from untildone.runs.plan.git import Git
from untildone.runs.plan.journal import PlanJournal, TaskProgress
from untildone.runs.plan.workspace import Workspace, require_free_branch
from untildone.store.loops import Record

Show: TypeAlias = Callable[[str, RunEvent], None]


class PlanContext:
    """What the tasks of one run share; `merges` serialises their merges."""

    def __init__(
        self, setting: Workspace, log: PlanJournal, show: Show, stop: threading.Event
    ) -> None:
        self.setting = setting
        self.log = log
        self.stop = stop
        self.merges = threading.Lock()
        self._shows = threading.Lock()
        self._show = show

    def show(self, task: str, happening: RunEvent) -> None:
        with self._shows:
            self._show(task, happening)


class TaskRun:
    def __init__(self, desk: PlanContext, name: str) -> None:
        self.name = name
        self._desk = desk
        self._setting = desk.setting
        self._task = desk.setting.plan.tasks[name]
        self._git = Git(desk.setting.worktree(name)) if desk.setting.git else None
        # The new session of an attempt; no loop can exist in it yet.
        self._new = ""

    def run_to_end(self) -> TaskProgress:
        course = self._resume_task(self._desk.log.of(self.name))
        self._has_worktree(course)
        while course.step not in ("ended", "merged") and not self._desk.stop.is_set():
            match course.step:
                case "begun":
                    course = self._drive(course)
                case _:
                    with self._desk.merges:
                        course = self._merge(course)
        return course

    def _note(self, course: TaskProgress) -> TaskProgress:
        return self._desk.log.note(self.name, course)

    def _resume_task(self, course: TaskProgress) -> TaskProgress:
        """Work again on a task that ended in an earlier run."""
        if course.step == "waiting":
            self._require_own_worktree()
            return self._attempt(replace(course, onto=self._tip()))
        if course.step != "ended":
            return course
        if course.loops and not course.commit:
            progress = self._setting.context.loops.load(course.loops[-1]).progress
            # The user may have continued its loop meanwhile until it was done.
            if progress.outcome != "cancelled":
                return self._note(replace(course, step="begun"))
        return self._attempt(replace(course, earlier=len(course.loops)))

    def _has_worktree(self, course: TaskProgress) -> None:
        """Check the worktree out again if it was removed; its commits still exist."""
        git, path = self._setting.git, self._setting.worktree(self.name)
        if not git or not self._git or not course.loops or path.exists():
            return
        branch = self._setting.branch_of(self.name)
        commit = git.commit(f"refs/heads/{branch}") or course.onto
        worktrees.make_worktree(git, path, branch=branch, commit=course.commit or commit)
        if course.tree and not course.commit:
            worktrees.restore_tree(self._git, course.tree)

    def _require_own_worktree(self) -> None:
        git, branch = self._setting.git, self._setting.branch_of(self.name)
        path = self._setting.worktree(self.name)
        if git and path.exists():
            raise UserError(
                f"task `{self.name}` has a worktree already: `{path}`",
                hint=f"`git worktree remove --force {quote_argument(str(path))}` removes it",
            )
        if git and git.commit(f"refs/heads/{branch}"):
            raise UserError(
                f"task `{self.name}` has a branch already: `{branch}`",
                hint=f"rename it: `git branch -m {branch} NAME`",
            )

    def _tip(self) -> str:
        git = self._setting.git
        return git.ask("rev-parse", f"refs/heads/{self._setting.branch}") if git else ""

    def _attempt(self, course: TaskProgress) -> TaskProgress:
        self._new = str(uuid.uuid4())
        fresh = replace(course, step="begun", session=self._new, outcome=None, reason="")
        return self._note(replace(fresh, fault=None, commit="", merge=""))

    def _drive(self, course: TaskProgress) -> TaskProgress:
        record = self._open_loop(course)
        course = self._desk.log.of(self.name)
        context, loop = self._setting.context, record.contract.id
        self._show_begin(course)
        if record.progress.status == "paused":
            record = verbs.resume(context, loop)
        fault = None
        if record.progress.status == "active":
            fault = drive(context, loop, show=partial(self._desk.show, self.name)).fault
            record = context.loops.load(loop)
        progress = record.progress
        outcome = progress.outcome or "unverified"
        known = replace(course, outcome=outcome, reason=progress.reason, fault=fault)
        if outcome not in ("done", "claimed"):
            return self._note(replace(known, step="ended"))
        return self._note(replace(known, step="verified", commit=self._commit_work(course)))

    def _show_begin(self, course: TaskProgress) -> None:
        began = TaskBegan(
            title=self._task.title,
            attempt=len(course.loops),
            folder=str(self._setting.place(self.name)),
            evidence=course.evidence,
        )
        self._desk.show(self.name, began)

    def _open_loop(self, course: TaskProgress) -> Record:
        """Return the loop of this attempt: the one a crash left, or a new one."""
        context = self._setting.context
        record = self._find_loop(course.session)
        if record is None:
            self._prepare_worktree(course)
            record = start_loop(context, make_request(self._setting, self.name, course))
        elif self._git:
            worktrees.unlock(self._git)
        loop = record.contract.id
        if record.progress.status == "active":
            update_index(context, record)
        if not record.progress.baseline and record.progress.status == "active":
            record = record_baseline(context, record)
        if memory.read(context, loop) is None:
            memory.write(context, loop, RunMemory(how=self._setting.how))
        if loop not in course.loops:
            self._note(replace(course, loops=(*course.loops, loop)))
        return record

    def _find_loop(self, session: str) -> Record | None:
        if session == self._new:
            return None
        every = self._setting.context.loops.list_all()
        known = (each for each in every if isinstance(each, Record))
        return next((record for record in known if record.contract.session == session), None)

    def _prepare_worktree(self, course: TaskProgress) -> None:
        """Check out the work branch for a first attempt, the failed merge for a later one."""
        git, path = self._setting.git, self._setting.worktree(self.name)
        if not git or not self._git:
            return
        if not course.loops:
            branch = self._setting.branch_of(self.name)
            worktrees.make_worktree(git, path, branch=branch, commit=course.onto)
        elif course.tree:
            worktrees.unlock(self._git)
            worktrees.restore_tree(self._git, course.tree)

    def _commit_work(self, course: TaskProgress) -> str:
        if not self._git:
            return ""
        return worktrees.commit_worktree(
            self._git,
            branch=self._setting.branch_of(self.name),
            onto=course.onto,
            plan=self._setting.tracked,
            message=f"{self.name}: {self._task.title}",
        )

    def _merge(self, course: TaskProgress) -> TaskProgress:
        setting, git = self._setting, self._git
        if not git or not setting.git:
            return self._settle(course, ())
        require_free_branch(setting.git, setting.branch)
        tip = self._tip()
        if course.step == "merging" and self._advance_branch(git, course, tip):
            return self._settle(course, ())
        worktrees.unlock(git)
        found = merging.merge_trees(git, tip, course.commit)
        if found.conflicts:
            listed = ", ".join(f"`{name}`" for name in found.conflicts)
            why = f"merging it into `{setting.branch}` conflicts in {listed}"
            return self._send_back(course, tip, found, why)
        tree = found.tree
        worktrees.restore_tree(git, tree)
        if setting.tracked:
            tree = merging.complete_task_in_tree(git, plan=setting.tracked, task=self.name)
        results = self._check_merge()
        if not all(result.green for result in results):
            why = f"merged into `{setting.branch}` its checks fail:\n{describe_failures(results)}"
            return self._send_back(course, tip, replace(found, tree=tree), why)
        message = f"Merge {self.name}: {self._task.title}"
        made = merging.commit_merge(git, tree, onto=tip, commit=course.commit, message=message)
        course = self._note(replace(course, step="merging", onto=tip, merge=made))
        merging.advance_branch(git, branch=setting.branch, onto=tip, commit=made)
        return self._settle(course, results)

    def _advance_branch(self, git: Git, course: TaskProgress, tip: str) -> bool:
        """Move the work branch to the verified merge, unless it is there already."""
        if not git.commit(course.merge):
            return False
        if tip != course.onto:
            return git.contains(tip, course.merge)
        merging.advance_branch(git, branch=self._setting.branch, onto=tip, commit=course.merge)
        return True

    def _check_merge(self) -> tuple[CheckResult, ...]:
        """Run the checks of the project, of this task and of all merged tasks."""
        names = (*self._desk.log.merged(), self.name)
        return run_task_checks(self._setting, self._setting.place(self.name), names)

    def _settle(self, course: TaskProgress, results: tuple[CheckResult, ...]) -> TaskProgress:
        setting = self._setting
        if not setting.tracked:
            change_plan(setting.path, lambda plan: edit_status(plan, self.name, "completed"))
        last = self._desk.log.merged()[-1:]
        course = self._note(replace(course, step="merged", evidence="", conflicts=()))
        names = tuple(result.name for result in results)
        self._desk.show(self.name, TaskMerged(commit=course.merge, checks=names))
        # The newest worktree stays until the whole feature was checked in it.
        for name in last:
            remove_merged_task(setting, name)
        return course

    def _send_back(
        self, course: TaskProgress, tip: str, found: merging.Merged, why: str
    ) -> TaskProgress:
        self._desk.show(self.name, TaskSentBack(reason=why))
        rounds = count_rounds(self._setting, course)
        merged = self._desk.log.merged()
        course = replace(course, evidence=why, tree=found.tree, onto=tip, beside=merged)
        course = replace(course, conflicts=found.conflicts)
        if self._setting.bounds.rounds and rounds >= self._setting.bounds.rounds:
            return self._note(replace(course, step="ended", outcome="out-of-rounds", reason=why))
        return self._attempt(course)


def remove_merged_task(setting: Workspace, name: str) -> None:
    """Remove worktree and branch of a merged task."""
    if setting.git:
        worktrees.remove_worktree(setting.git, setting.worktree(name))
        setting.git.knows("branch", "-D", setting.branch_of(name))
