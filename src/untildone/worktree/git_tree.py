"""The git tree that a commit of all files as they are would have."""

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from untildone.process.git import run_git
from untildone.worktree import listing
from untildone.worktree.fingerprint import STATUS, fingerprint_tree, parse_status

# A stop waits for it.
_SECONDS = 20.0
_UPDATE = ("update-index", "--add", "--remove", "--replace", "-z", "--stdin")


def hash_judged_tree(project: Path, fingerprint: str) -> str:
    """Return the id of the git tree; empty if the files no longer have this fingerprint."""
    tree = hash_working_tree(project)
    return tree if tree and fingerprint_tree(project) == fingerprint else ""


def hash_working_tree(project: Path) -> str:
    """Return the id of the tree of all files in the repository that git would not ignore.

    Index and objects are written to a folder of ours: the repository stays as it is. Empty outside
    of git, or if git fails or takes too long.
    """
    root = listing.find_tracking_root(project)
    if root is None:
        return ""
    asked = ("rev-parse", "--git-path", "index", "--git-path", "objects")
    answer = listing.read_git_output(*asked, cwd=root, stdin=b"")
    status = listing.read_git_entries(*STATUS, cwd=root)
    if not answer or status is None:
        return ""
    index, objects = (root / os.fsdecode(line) for line in answer.splitlines())
    with TemporaryDirectory(prefix="untildone-") as folder:
        own_index = Path(folder, "index")
        if index.exists():
            # With its time, by which git knows what it must read again.
            shutil.copy2(index, own_index)
        variables = {
            "GIT_INDEX_FILE": os.fspath(own_index),
            "GIT_OBJECT_DIRECTORY": folder,
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": os.fspath(objects.resolve()),
        }
        return _write_tree(root, variables, changed=_list_changed(status))


def _list_changed(status: bytes) -> bytes:
    """Return the changed and new paths as git reads them; a new repository ends with a slash."""
    return b"".join(path.rstrip(b"/") + b"\0" for _, path in parse_status(status))


def _write_tree(root: Path, variables: dict[str, str], *, changed: bytes) -> str:
    """Return the id of the tree; `git add` would start a git in each submodule."""
    if changed:
        added = run_git(_UPDATE, cwd=root, timeout=_SECONDS, variables=variables, stdin=changed)
        if added.exit_code != 0:
            return ""
    tree = listing.read_git_output("write-tree", cwd=root, stdin=b"", **variables)
    return tree.decode().strip() if tree else ""
