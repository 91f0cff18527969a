"""Receipts as git notes on trees, in `refs/notes/untildone`.

A note on the tree, not on a commit, stays with the content when a commit is amended or squashed.
"""

from pathlib import Path

from untildone.core.text import to_one_line
from untildone.errors import UserError
from untildone.process.git import run_git
from untildone.receipts.envelope import MAX_SIZE
from untildone.worktree.listing import read_git_output, read_head

REF = "refs/notes/untildone"


def read_tree(revision: str, *, cwd: Path) -> str:
    """Return the id of a revision's tree; raise UserError if there is none."""
    tree = _ask("rev-parse", "--verify", "-q", "--end-of-options", f"{revision}^{{tree}}", cwd=cwd)
    if tree:
        return tree
    raise UserError(
        f"`{revision}` is no commit or tree in `{cwd}`",
        hint="fetch it, or name another; in CI check out the whole history (`fetch-depth: 0`)",
    )


def read_merge_base(base: str, head: str, *, cwd: Path) -> str:
    """Return the tree of the last commit that both have."""
    common = _ask("merge-base", "--end-of-options", base, head, cwd=cwd)
    if not common:
        read_tree(base, cwd=cwd)
        read_tree(head, cwd=cwd)
        raise UserError(
            f"`{base}` and `{head}` have no commit in common",
            hint="in CI check out the whole history (`fetch-depth: 0`)",
        )
    return read_tree(common, cwd=cwd)


def find_commit(tree: str, *, cwd: Path) -> str:
    """Return the commit that is checked out, if it has this tree."""
    head = read_head(cwd) if cwd.is_dir() else ""
    return head if head and read_tree(head, cwd=cwd) == tree else ""


def read_note(tree: str, *, cwd: Path) -> bytes | None:
    """Return the note on a tree; None if there is none or it is too large."""
    parts, size = list[bytes](), 0

    def keep(part: bytes) -> None:
        nonlocal size
        size += len(part)
        if size <= MAX_SIZE:
            parts.append(part)

    shown = run_git(("notes", f"--ref={REF}", "show", tree), cwd=cwd, on_output=keep)
    return b"".join(parts) if shown.exit_code == 0 and size <= MAX_SIZE else None


def write_note(tree: str, data: bytes, *, cwd: Path) -> None:
    """Attach a receipt to its tree, in place of an earlier one."""
    arguments = ("notes", f"--ref={REF}", "add", "-f", "-F", "-", tree)
    added = run_git(arguments, cwd=cwd, stdin=data)
    if added.exit_code != 0:
        raise UserError(
            f"git could not add the note: {to_one_line(added.missing or added.text)}",
            hint="or write the receipt to a file: `--output FILE`",
        )


def _ask(*arguments: str, cwd: Path) -> str:
    answer = read_git_output(*arguments, cwd=cwd, stdin=b"")
    return answer.decode().strip() if answer else ""
