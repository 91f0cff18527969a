"""A task's worktree and branch: made, its content kept as a commit, removed."""

import os
import shutil
from pathlib import Path

from untildone.errors import UserError
from untildone.runs.plan.git import Git

# What is ours in a project is nobody's work.
_WORK = (":/", ":(exclude,top).untildone")


def make_worktree(git: Git, path: Path, *, branch: str, commit: str) -> None:
    """Anew: whatever a crash left half made is taken away first."""
    remove_worktree(git, path)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    check_out(git, path, "-B", branch, commit=commit)


def check_out(git: Git, path: Path, *options: str, commit: str) -> None:
    """In two steps: which programs the new worktree would run is only known once it is there."""
    git.ask("worktree", "add", "-q", "--no-checkout", *options, str(path), commit)
    try:
        Git(path).ask("reset", "-q", "--hard")
    except UserError:
        remove_worktree(git, path)
        raise


def remove_worktree(git: Git, path: Path) -> None:
    if path.exists():
        git.knows("worktree", "remove", "--force", "--force", str(path))
        if not path.exists():
            return
        shutil.rmtree(path, ignore_errors=True)
    git.ask("worktree", "prune")


def find_holder(git: Git, branch: str) -> str:
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
    link = git.folder / ".git"
    if link.is_file():
        home = link.read_text(encoding="utf-8", errors="surrogateescape").removeprefix("gitdir:")
        git.folder.joinpath(home.strip(), "index.lock").unlink(missing_ok=True)


def commit_worktree(git: Git, *, branch: str, onto: str, plan: str, message: str) -> str:
    """The commit of what is in the worktree now, on its branch and above `onto`.

    `plan` is the path of the plan in the repository: it stays what it is in `onto`.
    """
    unlock(git)
    _stage(git)
    if plan:
        git.ask("reset", "-q", onto, "--", f":(top,literal){plan}")
    tree = git.ask("write-tree")
    # The agent may have gone to another branch, or to none.
    known = git.knows("rev-parse", "HEAD^{commit}", "HEAD^{tree}", "--symbolic-full-name", "HEAD")
    if not known:
        raise UserError(f"`{git.folder}` has no commit any more", hint="run the same command again")
    head, before, name = known.split()
    above = git.contains(head, onto)
    if not above or tree != before:
        parents = (head,) if above else (head, onto)
        head = git.committed(tree, *parents, message=message)
    git.ask("update-ref", f"refs/heads/{branch}", head)
    if name != f"refs/heads/{branch}":
        git.ask("symbolic-ref", "HEAD", f"refs/heads/{branch}")
    return head


def _stage(git: Git) -> None:
    """As `git add -A`, which would start a git of its own in each submodule."""
    known: dict[str, None] = {}
    # First what may be gone: a folder can be where a file was.
    for kinds in (("--cached",), ("--others", "--exclude-standard")):
        _, listed = git.tried("ls-files", "-z", *kinds, "--", *_WORK)
        # A repository that lies in the worktree is listed with a `/` at its end.
        known |= dict.fromkeys(path.rstrip("/") for path in listed.split("\0") if path)
    fed = os.fsencode("".join(f"{path}\0" for path in known))
    git.ask("update-index", "-z", "--add", "--remove", "--replace", "--stdin", stdin=fed)


def restore_tree(git: Git, tree: str) -> None:
    """The files of a tree, for checks to run on and an agent to mend."""
    git.ask("read-tree", "--reset", "-u", tree)
