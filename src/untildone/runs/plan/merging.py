"""A task's commit and the work branch put together, without touching any checkout."""

from msgspec import Struct

from untildone.errors import UserError
from untildone.features.plans.document import read_plan
from untildone.features.plans.editing import change_plan, edit_status
from untildone.runs.plan.git import Git

# The first that merges without a checkout.
_OLDEST = (2, 38)


class Merged(Struct, frozen=True, kw_only=True):
    """The tree; where it has `conflicts`, their files hold both sides between markers."""

    tree: str
    conflicts: tuple[str, ...] = ()


def require_git_version(git: Git) -> None:
    """Refuses a git that cannot do it, before anybody has worked."""
    said = git.ask("version")
    numbers = [int(part) for part in said.split()[2].split(".")[:2] if part.isdigit()]
    if tuple(numbers) < _OLDEST:
        raise UserError(
            f"`{said}` cannot merge beside a checkout", hint="install git 2.38 or newer"
        )


def merge_trees(git: Git, onto: str, commit: str) -> Merged:
    if git.contains(commit, onto):
        return Merged(tree=git.ask("rev-parse", f"{commit}^{{tree}}"))
    options = ("--write-tree", "--name-only", "--no-messages")
    code, output = git.tried("merge-tree", *options, onto, commit)
    tree, *names = output.splitlines()
    return Merged(tree=tree, conflicts=tuple(filter(None, names)) if code else ())


def complete_task_in_tree(git: Git, *, plan: str, task: str) -> str:
    """The tree that is shown, once its plan says so; the same where it does not know the task."""
    path = git.folder / plan
    if task in read_plan(path).plan.tasks:
        change_plan(path, lambda document: edit_status(document, task, "completed"))
        git.ask("update-index", "--", plan)
    return git.ask("write-tree")


def advance_branch(git: Git, *, branch: str, onto: str, commit: str) -> None:
    """The branch from `onto` to `commit`; refused where somebody moved it meanwhile."""
    git.ask("update-ref", f"refs/heads/{branch}", commit, onto)


def commit_merge(git: Git, tree: str, *, onto: str, commit: str, message: str) -> str:
    """The commit that brings a task into the work branch."""
    return git.committed(tree, onto, commit, message=message)
