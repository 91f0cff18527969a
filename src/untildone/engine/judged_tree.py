"""The git tree of what a stop has judged, found while its confirming runs go on."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from untildone.core.evidence import Evidence
from untildone.worktree.fingerprint import fingerprint_tree
from untildone.worktree.git_tree import hash_judged_tree


@contextmanager
def begin_git_tree(project: Path, fingerprint: str) -> Iterator[Callable[[], str]]:
    """Yield a function that returns the id of the tree; empty if it has another fingerprint."""
    if not fingerprint:
        yield str
        return
    with ThreadPoolExecutor(max_workers=1) as pool:
        yield pool.submit(hash_judged_tree, project, fingerprint).result


def find_git_tree(project: Path, evidence: Evidence) -> str:
    """Return the git tree of the evidence; empty if the files are others by now.

    That of a pause that the user may approve is found here, if no confirmation was made.
    """
    if not evidence.git_tree:
        return hash_judged_tree(project, evidence.tree)
    return evidence.git_tree if fingerprint_tree(project) == evidence.tree else ""
