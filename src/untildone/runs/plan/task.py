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
from untildone.engine.context import mirror
from untildone.errors import UserError
from untildone.features.plans.editing import change_plan, edit_status
from untildone.process import quoted
from untildone.runs import memory
from untildone.runs.memory import Book
from untildone.runs.outer import drive
from untildone.runs.plan import merging, worktrees
from untildone.runs.plan.assignment import (
    begun,
    checked,
    evidence_of,
    request_of,
    rounds_of,
    with_start,
)
from untildone.runs.plan.git import Git
from untildone.runs.plan.happenings import TaskBegan, TaskMerged, TaskSentBack
from untildone.runs.plan.journal import Course, Log
from untildone.runs.plan.setting import Setting, free
from untildone.store.loops import Record

Show: TypeAlias = Callable[[str, RunEvent], None]


class Desk:
    """What the tasks of one run share; `merges` are made one after another."""

    def __init__(self, setting: Setting, log: Log, show: Show, stop: threading.Event) -> None:
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
    def __init__(self, desk: Desk, name: str) -> None:
        self.name = name
        self._desk = desk
        self._setting = desk.setting
        self._task = desk.setting.plan.tasks[name]
        self._git = Git(desk.setting.worktree(name)) if desk.setting.git else None
        # The session of an attempt that nobody before us can have begun a loop in.
        self._new = ""

    def to_its_end(self) -> Course:
        course = self._taken_up(self._desk.log.of(self.name))
        self._housed(course)
        while course.step not in ("ended", "merged") and not self._desk.stop.is_set():
            match course.step:
                case "begun":
                    course = self._driven(course)
                case _:
                    with self._desk.merges:
                        course = self._merged(course)
        return course

    def _note(self, course: Course) -> Course:
        return self._desk.log.note(self.name, course)

    def _taken_up(self, course: Course) -> Course:
        """What ended on an earlier day is worked on again."""
        if course.step == "waiting":
            self._nobody_elses()
            return self._attempt(replace(course, onto=self._tip()))
        if course.step != "ended":
            return course
        if course.loops and not course.commit:
            progress = self._setting.context.loops.load(course.loops[-1]).progress
            # The person may have continued it by itself meanwhile, to its good end.
            if progress.outcome != "cancelled":
                return self._note(replace(course, step="begun"))
        return self._attempt(replace(course, earlier=len(course.loops)))

    def _housed(self, course: Course) -> None:
        """Somebody may have thrown its worktree away since: what was committed is there still."""
        git, path = self._setting.git, self._setting.worktree(self.name)
        if not git or not self._git or not course.loops or path.exists():
            return
        branch = self._setting.branch_of(self.name)
        commit = git.commit(f"refs/heads/{branch}") or course.onto
        worktrees.make(git, path, branch=branch, commit=course.commit or commit)
        if course.tree and not course.commit:
            worktrees.show(self._git, course.tree)

    def _nobody_elses(self) -> None:
        git, branch = self._setting.git, self._setting.branch_of(self.name)
        path = self._setting.worktree(self.name)
        if git and path.exists():
            raise UserError(
                f"task `{self.name}` has a worktree already: `{path}`",
                hint=f"`git worktree remove --force {quoted(str(path))}` takes it away, all of it",
            )
        if git and git.commit(f"refs/heads/{branch}"):
            raise UserError(
                f"task `{self.name}` has a branch already: `{branch}`",
                hint=f"rename it: `git branch -m {branch} NAME`",
            )

    def _tip(self) -> str:
        git = self._setting.git
        return git.ask("rev-parse", f"refs/heads/{self._setting.branch}") if git else ""

    def _attempt(self, course: Course) -> Course:
        self._new = str(uuid.uuid4())
        fresh = replace(course, step="begun", session=self._new, outcome=None, reason="")
        return self._note(replace(fresh, fault=None, commit="", merge=""))

    def _driven(self, course: Course) -> Course:
        record = self._recorded(course)
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
        return self._note(replace(known, step="verified", commit=self._kept(course)))

    def _show_begin(self, course: Course) -> None:
        began = TaskBegan(
            title=self._task.title,
            attempt=len(course.loops),
            folder=str(self._setting.place(self.name)),
            evidence=course.evidence,
        )
        self._desk.show(self.name, began)

    def _recorded(self, course: Course) -> Record:
        """The attempt's loop: the one a crash left, or a new one in a worktree made for it."""
        context = self._setting.context
        record = self._found(course.session)
        if record is None:
            self._furnished(course)
            record = begun(context, request_of(self._setting, self.name, course))
        elif self._git:
            worktrees.unlock(self._git)
        loop = record.contract.id
        if record.progress.status == "active":
            mirror(context, record)
        if not record.progress.baseline and record.progress.status == "active":
            record = with_start(context, record)
        if memory.read(context, loop) is None:
            memory.write(context, loop, Book(how=self._setting.how))
        if loop not in course.loops:
            self._note(replace(course, loops=(*course.loops, loop)))
        return record

    def _found(self, session: str) -> Record | None:
        if session == self._new:
            return None
        every = self._setting.context.loops.list_all()
        known = (each for each in every if isinstance(each, Record))
        return next((record for record in known if record.contract.session == session), None)

    def _furnished(self, course: Course) -> None:
        """A first attempt begins at the work branch, a later one at what the merge came to."""
        git, path = self._setting.git, self._setting.worktree(self.name)
        if not git or not self._git:
            return
        if not course.loops:
            branch = self._setting.branch_of(self.name)
            worktrees.make(git, path, branch=branch, commit=course.onto)
        elif course.tree:
            worktrees.unlock(self._git)
            worktrees.show(self._git, course.tree)

    def _kept(self, course: Course) -> str:
        if not self._git:
            return ""
        return worktrees.kept(
            self._git,
            branch=self._setting.branch_of(self.name),
            onto=course.onto,
            plan=self._setting.tracked,
            message=f"{self.name}: {self._task.title}",
        )

    def _merged(self, course: Course) -> Course:
        setting, git = self._setting, self._git
        if not git or not setting.git:
            return self._settled(course, ())
        free(setting.git, setting.branch)
        tip = self._tip()
        if course.step == "merging" and self._brought_in(git, course, tip):
            return self._settled(course, ())
        worktrees.unlock(git)
        found = merging.merged(git, tip, course.commit)
        if found.conflicts:
            listed = ", ".join(f"`{name}`" for name in found.conflicts)
            why = f"merging it into `{setting.branch}` conflicts in {listed}"
            return self._sent_back(course, tip, found, why)
        tree = found.tree
        worktrees.show(git, tree)
        if setting.tracked:
            tree = merging.with_task_completed(git, plan=setting.tracked, task=self.name)
        results = self._checked()
        if not all(result.green for result in results):
            why = f"merged into `{setting.branch}` its checks fail:\n{evidence_of(results)}"
            return self._sent_back(course, tip, replace(found, tree=tree), why)
        message = f"Merge {self.name}: {self._task.title}"
        made = merging.joined(git, tree, onto=tip, commit=course.commit, message=message)
        course = self._note(replace(course, step="merging", onto=tip, merge=made))
        merging.advanced(git, branch=setting.branch, onto=tip, commit=made)
        return self._settled(course, results)

    def _brought_in(self, git: Git, course: Course, tip: str) -> bool:
        """It was green before it was noted; only the branch may not have it yet."""
        if not git.commit(course.merge):
            return False
        if tip != course.onto:
            return git.contains(tip, course.merge)
        merging.advanced(git, branch=self._setting.branch, onto=tip, commit=course.merge)
        return True

    def _checked(self) -> tuple[CheckResult, ...]:
        """Those of the project, of this task and of all that is merged already."""
        names = (*self._desk.log.merged(), self.name)
        return checked(self._setting, self._setting.place(self.name), names)

    def _settled(self, course: Course, results: tuple[CheckResult, ...]) -> Course:
        setting = self._setting
        if not setting.tracked:
            change_plan(setting.path, lambda plan: edit_status(plan, self.name, "completed"))
        last = self._desk.log.merged()[-1:]
        course = self._note(replace(course, step="merged", evidence="", conflicts=()))
        names = tuple(result.name for result in results)
        self._desk.show(self.name, TaskMerged(commit=course.merge, checks=names))
        # The newest stays until the feature as a whole was checked in it.
        for name in last:
            forget(setting, name)
        return course

    def _sent_back(self, course: Course, tip: str, found: merging.Merged, why: str) -> Course:
        self._desk.show(self.name, TaskSentBack(reason=why))
        rounds = rounds_of(self._setting, course)
        merged = self._desk.log.merged()
        course = replace(course, evidence=why, tree=found.tree, onto=tip, beside=merged)
        course = replace(course, conflicts=found.conflicts)
        if self._setting.bounds.rounds and rounds >= self._setting.bounds.rounds:
            return self._note(replace(course, step="ended", outcome="out-of-rounds", reason=why))
        return self._attempt(course)


def forget(setting: Setting, name: str) -> None:
    """A merged task needs neither its worktree nor its branch."""
    if setting.git:
        worktrees.remove(setting.git, setting.worktree(name))
        setting.git.knows("branch", "-D", setting.branch_of(name))
