"""Merges of a task into the work branch, without touching any checkout."""

from msgspec import Struct

from untildone.errors import UserError
from untildone.features.plans.editing import change_plan, edit_status
from untildone.features.plans.plan_file import read_plan
from untildone.runs.plan.git import Git

# The first version that can merge without a checkout.
_OLDEST = (2, 38)


class Merged(Struct, frozen=True, kw_only=True):
    """The merged tree; files in `conflicts` hold both sides between markers."""

    tree: str
    conflicts: tuple[str, ...] = ()


def require_git_version(git: Git) -> None:
    """Refuse a git that is too old before any work is done."""
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
    code, output = git.try_git("merge-tree", *options, onto, commit)
    tree, *names = output.splitlines()
    return Merged(tree=tree, conflicts=tuple(filter(None, names)) if code else ())


def complete_task_in_tree(git: Git, *, plan: str, task: str) -> str:
    """Return the tree with the task completed in its plan; unchanged if it is not there."""
    path = git.folder / plan
    if task in read_plan(path).plan.tasks:
        change_plan(path, lambda document: edit_status(document, task, "completed"))
        git.ask("update-index", "--", plan)
    return git.ask("write-tree")


def advance_branch(git: Git, *, branch: str, onto: str, commit: str) -> None:
    """Move the branch from `onto` to `commit`; refused if somebody moved it meanwhile."""
    git.ask("update-ref", f"refs/heads/{branch}", commit, onto)


def commit_merge(git: Git, tree: str, *, onto: str, commit: str, message: str) -> str:
    """Make the commit that merges a task into the work branch."""
    return git.make_commit(tree, onto, commit, message=message)
