"""The worktree and branch of a task: created, committed, merged, removed."""

import os
import shutil
import threading
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from untildone.errors import UserError
from untildone.runs.tasks.git_answers import Git

# Our own folder in a project is not part of the work.
_WORK = (":/", ":(exclude,top).untildone")
_NOTHING: Mapping[str, str] = {}
# git reads all worktrees for each of these, and fails at one that another git is just adding.
_LIST_OF_WORKTREES = threading.Lock()


class Merged(Struct, frozen=True, kw_only=True):
    """The merged tree; files in `conflicts` hold both sides between markers."""

    tree: str
    conflicts: tuple[str, ...] = ()


def make_worktree(git: Git, path: Path, *, branch: str, commit: str) -> None:
    """Create the worktree; first remove what a crash may have left."""
    remove_worktree(git, path)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    check_out(git, path, "-B", branch, commit=commit)


def check_out(git: Git, path: Path, *options: str, commit: str) -> None:
    """Create a worktree empty, then fill it: its filters are known only once it exists."""
    with _LIST_OF_WORKTREES:
        git.ask("worktree", "add", "-q", "--no-checkout", *options, str(path), commit)
    try:
        Git(path).ask("reset", "-q", "--hard")
    except UserError:
        remove_worktree(git, path)
        raise


def remove_worktree(git: Git, path: Path) -> None:
    """Remove the worktree, also one that git does not know any more."""
    with _LIST_OF_WORKTREES:
        if path.exists():
            git.ask_or_empty("worktree", "remove", "--force", "--force", str(path))
            if not path.exists():
                return
            shutil.rmtree(path, ignore_errors=True)
        git.ask("worktree", "prune")


def find_holder(git: Git, branch: str) -> str:
    """Return the worktree that has the branch checked out, or nothing."""
    folder = ""
    with _LIST_OF_WORKTREES:
        listed = git.ask("worktree", "list", "--porcelain")
    for line in listed.splitlines():
        if line.startswith("worktree "):
            folder = line.removeprefix("worktree ")
        if line == f"branch refs/heads/{branch}":
            return folder
    return ""


def unlock(git: Git) -> None:
    """Remove the lock of a killed git; call only while nothing else uses the worktree."""
    link = git.folder / ".git"
    if link.is_file():
        home = link.read_text(encoding="utf-8", errors="surrogateescape").removeprefix("gitdir:")
        git.folder.joinpath(home.strip(), "index.lock").unlink(missing_ok=True)


def commit_worktree(git: Git, *, branch: str, onto: str, plan: str, message: str) -> str:
    """Commit the worktree's content to its branch, on top of `onto`.

    The plan file, at `plan`, keeps its content of `onto`.
    """
    unlock(git)
    stage(git)
    if plan:
        git.ask("reset", "-q", onto, "--", f":(top,literal){plan}")
    tree = git.ask("write-tree")
    # The agent may have switched to another branch, or to none.
    names = ("HEAD^{commit}", "HEAD^{tree}", "--symbolic-full-name", "HEAD")
    output = git.ask_or_empty("rev-parse", *names)
    if not output:
        raise UserError(f"`{git.folder}` has no commit any more", hint="run the same command again")
    head, head_tree, name = output.split()
    is_above = git.contains(head, onto)
    if not is_above or tree != head_tree:
        parents = (head,) if is_above else (head, onto)
        head = git.make_commit(tree, *parents, message=message)
    git.ask("update-ref", f"refs/heads/{branch}", head)
    if name != f"refs/heads/{branch}":
        git.ask("symbolic-ref", "HEAD", f"refs/heads/{branch}")
    return head


def stage(git: Git, *, env: Mapping[str, str] = _NOTHING) -> None:
    """Stage like `git add -A`, which would start another git in each submodule.

    `env` may name another index than the worktree's own.
    """
    paths: dict[str, None] = {}
    # Removals first: a folder may be where a file was.
    for kinds in (("--cached",), ("--others", "--exclude-standard")):
        _, output = git.ask_with_status("ls-files", "-z", *kinds, "--", *_WORK, env=env)
        # A repository inside the worktree is listed with a trailing `/`.
        paths |= dict.fromkeys(path.rstrip("/") for path in output.split("\0") if path)
    stdin = os.fsencode("".join(f"{path}\0" for path in paths))
    git.ask("update-index", "-z", "--add", "--remove", "--replace", "--stdin", env=env, stdin=stdin)


def restore_tree(git: Git, tree: str) -> None:
    """Write the files of a tree into the worktree."""
    git.ask("read-tree", "--reset", "-u", tree)


def merge_trees(git: Git, onto: str, commit: str) -> Merged:
    """Merge without a checkout; the tree also exists if files conflict."""
    if git.contains(commit, onto):
        return Merged(tree=git.ask("rev-parse", f"{commit}^{{tree}}"))
    options = ("--write-tree", "--name-only", "--no-messages")
    code, output = git.ask_with_status("merge-tree", *options, onto, commit)
    tree, *names = output.splitlines()
    return Merged(tree=tree, conflicts=tuple(filter(None, names)) if code else ())
