"""Where a plan is run: repository, branches and folders, and their preconditions."""

from pathlib import Path

from msgspec import Struct

from untildone.core.contract import Bounds
from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.features.plans.plan import Plan
from untildone.runs.plan.plan_journal import PlanJournal
from untildone.runs.run_memory import RunOptions
from untildone.runs.tasks import worktrees
from untildone.runs.tasks.git_answers import Git, require_git_version
from untildone.runs.tasks.slugs import make_slug
from untildone.store.digest import sha256
from untildone.worktree.listing import find_worktree_root, list_changed_files


class Workspace(Struct, frozen=True, kw_only=True):
    """`git` is None without a repository: then tasks are done in the project itself."""

    context: Context
    path: Path
    plan: Plan
    project: Path
    folder: Path
    options: RunOptions
    bounds: Bounds
    jobs: int = 1
    git: Git | None = None
    # Paths of the project and the plan in the repository; the plan's is empty if it is not
    # tracked in the work branch.
    subfolder: Path = Path()
    tracked: str = ""

    @property
    def feature(self) -> str:
        return self.plan.feature or self.path.resolve().parent.name

    @property
    def branch(self) -> str:
        return f"untildone/{make_slug(self.feature)}"

    def get_task_branch(self, task: str) -> str:
        return f"untildone-task/{make_slug(self.feature)}/{make_slug(task)}"

    @property
    def worktrees(self) -> Path:
        """Return the folder of worktrees, beside our state folder, which agents may not touch."""
        home = self.context.home
        return home.with_name(f"{home.name}-worktrees") / self.folder.name

    def get_worktree(self, task: str) -> Path:
        return self.worktrees / make_slug(task) if self.git else self.project

    def get_project(self, task: str) -> Path:
        """Return the project folder in that task's worktree."""
        return self.get_worktree(task) / self.subfolder


def find_state_folder(context: Context, path: Path) -> Path:
    name = sha256(str(path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:24]
    return context.home / "plans" / name


def find_repository(project: Path) -> Git | None:
    """Return the repository, None without one; raise an error if it has no commit yet."""
    root = find_worktree_root(project)
    if root is None:
        return None
    git = Git(root)
    if not git.find_commit("HEAD"):
        raise UserError(f"`{root}` has no commit yet", hint='run `git commit -m "Begin"` first')
    require_git_version(git)
    return git


def find_tracked_plan(workspace: Workspace) -> str:
    """Return the plan's path in the work branch, or nothing if it is not tracked."""
    git, path = workspace.git, workspace.path.resolve()
    if not git or not path.is_relative_to(git.folder.resolve()):
        return ""
    name = path.relative_to(git.folder.resolve()).as_posix()
    kind = git.ask_or_empty("cat-file", "-t", f"refs/heads/{workspace.branch}:{name}")
    return name if kind == "blob" else ""


def list_notices(workspace: Workspace) -> tuple[str, ...]:
    """Return what the user should know about their checkout."""
    git = workspace.git
    if git is None:
        problem = f"`{workspace.project}` is in no git repository"
        return (f"{problem}: tasks are worked on there, one after another",)
    notices = []
    if list_changed_files(git.folder):
        notices.append("what is not committed in your checkout is not part of this: HEAD is used")
    if not git.ask_or_empty("symbolic-ref", "-q", "HEAD"):
        notices.append("HEAD is detached: the work branch begins at that commit")
    if git.ask_or_empty("cat-file", "-t", "HEAD:.gitmodules"):
        notices.append("submodules are empty folders in the worktrees of tasks")
    attributes = ":(glob)**/.gitattributes"
    if git.ask_or_empty("grep", "-l", "-e", "filter=", "HEAD", "--", attributes):
        notices.append("git filters, such as LFS, are not run: worktrees have files as committed")
    return tuple(notices)


def prepare_work_branch(workspace: Workspace, journal: PlanJournal) -> None:
    """Create the work branch or take up ours; refuse one that is not ours."""
    git, branch = workspace.git, workspace.branch
    if git is None:
        return
    require_free_branch(git, branch)
    head, tip = git.ask("rev-parse", "HEAD"), git.find_commit(f"refs/heads/{branch}")
    if not tip:
        # Without the branch there is nothing left to resume.
        if journal.states or journal.base != head:
            journal.begin_anew(head)
        git.move_branch(branch, head, onto="")
        return
    if not journal.base:
        raise UserError(
            f"there is a branch `{branch}` that no run of this plan made",
            hint=f"rename it: `git branch -m {branch} NAME`",
        )
    _require_no_lost_work(git, branch, tip, journal)
    if git.contains(head, tip):
        git.move_branch(branch, head, onto=tip)


def require_free_branch(git: Git, branch: str) -> None:
    """Refuse a branch that is checked out, because it would move under its user."""
    holder = worktrees.find_holder(git, branch)
    if holder:
        raise UserError(
            f"the work branch `{branch}` is checked out in `{holder}`",
            hint="run `git switch --detach` there, then the same command again",
        )


def _require_no_lost_work(git: Git, branch: str, tip: str, journal: PlanJournal) -> None:
    """Raise an error if the branch lacks a merge that the journal recorded."""
    for task in journal.list_merged():
        merge = journal.get(task).merge
        if merge and not (git.find_commit(merge) and git.contains(tip, merge)):
            raise UserError(
                f"the branch `{branch}` has lost the merge of `{task}`",
                hint=f"bring it back with `git branch -f {branch} {merge[:12]}`, or begin again"
                f" after `git branch -D {branch}`",
            )
