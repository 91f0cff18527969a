"""A task's worktree and branch: made, its content kept as a commit, removed."""

import shutil
from pathlib import Path

from untildone.errors import UserError
from untildone.runs.plan.git import Git

# What is ours in a project is nobody's work.
_WORK = (":/", ":(exclude,top).untildone")


def make(git: Git, path: Path, *, branch: str, commit: str) -> None:
    """Anew: whatever a crash left half made is taken away first."""
    remove(git, path)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    git.ask("worktree", "add", "-q", "-B", branch, str(path), commit)


def remove(git: Git, path: Path) -> None:
    if path.exists():
        git.knows("worktree", "remove", "--force", "--force", str(path))
        shutil.rmtree(path, ignore_errors=True)
    git.ask("worktree", "prune")


def holder_of(git: Git, branch: str) -> str:
    """The folder of the worktree that has the branch checked out, or nothing."""
    folder = ""
    for line in git.ask("worktree", "list", "--porcelain").splitlines():
        if line.startswith("worktree "):
            folder = line.removeprefix("worktree ")
        if line == f"branch refs/heads/{branch}":
            return folder
    return ""


def unlock(git: Git) -> None:
    """What a killed git left behind; only while nobody else can be at work there."""
    git.folder.joinpath(git.ask("rev-parse", "--git-path", "index.lock")).unlink(missing_ok=True)


def kept(git: Git, *, branch: str, onto: str, plan: str, message: str) -> str:
    """The commit of what is in the worktree now, on its branch and above `onto`.

    `plan` is the path of the plan in the repository: it stays what it is in `onto`.
    """
    git.ask("add", "-A", "--", *_WORK)
    if plan:
        _as_in(git, onto, plan)
    tree, head = git.ask("write-tree"), git.commit("HEAD")
    if not head:
        raise UserError(f"`{git.folder}` has no commit any more", hint="run the same command again")
    parents = [head] if git.contains(head, onto) else [head, onto]
    if parents == [head] and tree == git.ask("rev-parse", "HEAD^{tree}"):
        made = head
    else:
        above = [word for parent in parents for word in ("-p", parent)]
        made = git.ask("commit-tree", tree, *above, "-m", message, env=git.identity())
    git.ask("update-ref", f"refs/heads/{branch}", made)
    git.ask("symbolic-ref", "HEAD", f"refs/heads/{branch}")
    return made


def show(git: Git, tree: str) -> None:
    """The files of a tree, for checks to run on and an agent to mend."""
    git.ask("read-tree", "--reset", "-u", tree)


def _as_in(git: Git, commit: str, path: str) -> None:
    entry = git.ask("ls-tree", commit, "--", path)
    if entry:
        mode, _, blob = entry.partition("\t")[0].split()
        git.ask("update-index", "--add", "--cacheinfo", f"{mode},{blob},{path}")
