"""The merges of a plan run: tasks that are verified while one is under way form the next batch."""

import threading
from collections.abc import Sequence

from msgspec.structs import replace

from untildone.core.check_results import CheckResult
from untildone.features.plans.editing import change_plan, edit_status
from untildone.runs.plan import assignment
from untildone.runs.plan.plan_journal import PlanJournal, TaskProgress, make_attempt
from untildone.runs.plan.plan_status import complete_task_in_tree
from untildone.runs.plan.workspace import Workspace, require_free_branch
from untildone.runs.tasks import worktrees
from untildone.runs.tasks.batch import Candidate
from untildone.runs.tasks.git_answers import Git
from untildone.runs.tasks.merging import Merge, MergedBatch, SentBack, Target, merge_batch
from untildone.runs.tasks.task_events import Show, TaskMerged, TaskSentBack


class PlanMerges:
    """Each task's thread brings its work; the one with the lock merges all that waits."""

    def __init__(self, workspace: Workspace, journal: PlanJournal, show: Show) -> None:
        self._workspace = workspace
        self._journal = journal
        self._show = show
        self._merges = threading.Lock()
        self._waiting: dict[str, None] = {}

    def merge(self, name: str) -> TaskProgress:
        """Merge the verified task, or send it back to its agent; return where it is then."""
        self._waiting[name] = None
        with self._merges:
            if name in self._waiting:
                names = tuple(self._waiting)
                for taken in names:
                    del self._waiting[taken]
                self._merge_all(names)
        return self._journal.get(name)

    def _merge_all(self, names: Sequence[str]) -> None:
        git, branch = self._workspace.git, self._workspace.branch
        if git is None:
            for name in names:
                self._settle(name, self._journal.get(name), ())
            return
        require_free_branch(git, branch)
        left = [name for name in names if not self._settle_if_merged(git, name)]
        if left:
            self._merge_batch(git, left)

    def _settle_if_merged(self, git: Git, name: str) -> bool:
        """Settle a task whose merge was recorded before a crash."""
        state, tip = self._journal.get(name), git.get_tip(self._workspace.branch)
        head = state.head or state.merge
        if state.step != "merging" or not git.find_commit(head):
            return False
        if tip == state.onto:
            git.move_branch(self._workspace.branch, head, onto=tip)
        elif not git.contains(tip, state.merge):
            return False
        self._settle(name, state, ())
        return True

    def _merge_batch(self, git: Git, names: Sequence[str]) -> None:
        tip = git.get_tip(self._workspace.branch)
        target = Target(
            git=git,
            branch=self._workspace.branch,
            tip=tip,
            # The worktree of one of them: it may hold what its checks need and git ignores.
            verify=lambda place, batch: self._verify(names[-1], place, batch),
            amend=lambda tree, candidate: self._complete(git, tree, candidate),
        )
        merged = merge_batch(target, [self._make_candidate(name) for name in names])
        self._take(git, merged)
        for back in merged.sent_back:
            self._send_back(back)
        for one in merged.hindered:
            state = self._journal.get(one.candidate.task)
            ended = replace(state, step="ended", outcome="blocked", reason=one.reason)
            self._journal.append(one.candidate.task, ended)

    def _make_candidate(self, name: str) -> Candidate:
        state = self._journal.get(name)
        title = self._workspace.plan.tasks[name].title
        return Candidate(task=name, title=title, commit=state.commit, base=state.onto)

    def _complete(self, git: Git, tree: str, candidate: Candidate) -> str:
        plan = self._workspace.tracked
        if not plan:
            return tree
        return complete_task_in_tree(git, tree, plan=plan, task=candidate.task)

    def _verify(
        self, name: str, place: str, candidates: Sequence[Candidate]
    ) -> tuple[CheckResult, ...]:
        """Run the checks of all merged tasks and of these on the place."""
        git = Git(self._workspace.get_worktree(name))
        worktrees.unlock(git)
        worktrees.restore_tree(git, f"{place}^{{tree}}")
        tasks = (*self._journal.list_merged(), *(one.task for one in candidates))
        return assignment.run_task_checks(self._workspace, self._workspace.get_project(name), tasks)

    def _take(self, git: Git, batch: MergedBatch) -> None:
        """Move the work branch once all its merges are recorded."""
        if batch.merged:
            # The whole feature is checked in the worktree of the last one.
            last = Git(self._workspace.get_worktree(batch.merged[-1].candidate.task))
            worktrees.unlock(last)
            worktrees.restore_tree(last, f"{batch.head}^{{tree}}")
        states = [(one, self._record_merge(one, batch)) for one in batch.merged]
        if batch.head != batch.tip:
            git.move_branch(self._workspace.branch, batch.head, onto=batch.tip)
        for one, state in states:
            self._settle(one.candidate.task, state, one.checks)

    def _record_merge(self, merge: Merge, batch: MergedBatch) -> TaskProgress:
        name = merge.candidate.task
        state = self._journal.get(name)
        return self._journal.append(
            name,
            replace(state, step="merging", onto=batch.tip, merge=merge.commit, head=batch.head),
        )

    def _settle(self, name: str, state: TaskProgress, checks: tuple[str, ...]) -> None:
        """Mark the task as merged and remove the worktree of the one merged before."""
        workspace = self._workspace
        if not workspace.tracked:
            change_plan(workspace.path, lambda plan: edit_status(plan, name, "completed"))
        last = self._journal.list_merged()[-1:]
        self._journal.append(name, replace(state, step="merged", evidence="", conflicts=()))
        self._show(name, TaskMerged(commit=state.merge, checks=checks))
        # The newest worktree stays until the whole feature was checked in it.
        for before in last:
            remove_merged_task(workspace, before)

    def _send_back(self, back: SentBack) -> None:
        """Begin another attempt on the merged tree, unless the rounds are used up."""
        name = back.candidate.task
        state = self._journal.get(name)
        self._show(name, TaskSentBack(reason=back.reason))
        rounds = assignment.count_rounds(self._workspace, state)
        state = replace(
            state,
            evidence=back.reason,
            tree=back.tree,
            onto=back.onto,
            beside=self._journal.list_merged(),
            conflicts=back.conflicts,
        )
        if self._workspace.bounds.rounds and rounds >= self._workspace.bounds.rounds:
            ended = replace(state, step="ended", outcome="out-of-rounds", reason=back.reason)
            self._journal.append(name, ended)
        else:
            self._journal.append(name, make_attempt(state))


def remove_merged_task(workspace: Workspace, name: str) -> None:
    """Remove worktree and branch of a merged task."""
    if workspace.git:
        worktrees.remove_worktree(workspace.git, workspace.get_worktree(name))
        workspace.git.ask_or_empty("branch", "-D", workspace.get_task_branch(name))
