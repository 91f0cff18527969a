"""Trust in a repository's configuration that travels with a task, as the hash of its content.

Who adds a task vouches for the `untildone.toml` that they trust on their own machine. A worker uses
the configuration at the task's base commit only if it has that hash; an agent that changes the
file later changes its hash, and the file does not count any more.
"""

from pathlib import Path

from msgspec import Struct

from untildone.config.proposals import Proposal, combine_digests, load_proposals
from untildone.engine.context import Context
from untildone.engine.project_checks import describe_untrusted
from untildone.errors import UserError
from untildone.process.git import read_git_config
from untildone.store.trusted_files import record_trust
from untildone.worktree.listing import find_worktree_root

_REMEDY = "`untildone trust` in a clone with the content of the base, then add the task again"


class TrustRules(Struct, frozen=True, kw_only=True):
    """What a worker's owner decides: hashes that they trust, and whether submitters may vouch."""

    own: tuple[str, ...] = ()
    takes_submitters: bool = True


class Application(Struct, frozen=True, kw_only=True):
    """Whether the configuration is used, and a line for the task's journal."""

    is_used: bool
    note: str = ""


def find_vouched_digest(context: Context, repository: str, folder: Path) -> tuple[str, str]:
    """Return the hash of the repository's configuration if the user trusts all of it here.

    `folder` is where the user is: a clone of the repository, if that is not on this machine.
    If they do not trust it, the second text says so.
    """
    clone = _find_clone(repository, folder)
    if clone is None:
        return "", ""
    try:
        files = load_proposals(clone)
    except UserError as error:
        # A task that names its checks needs no configuration.
        return "", error.message
    untrusted = describe_untrusted(context, files)
    return combine_digests(files) if files and not untrusted else "", untrusted


def _find_clone(repository: str, folder: Path) -> Path | None:
    if Path(repository).is_dir() and (own := find_worktree_root(Path(repository))):
        return own
    root = find_worktree_root(folder)
    remotes = read_git_config(r"^remote\..*\.url$", cwd=root) if root else None
    addresses = {value.removeprefix("file://") for _, value in remotes or ()}
    return root if repository.removeprefix("file://") in addresses else None


def apply_trust(
    context: Context, worktree: Path, *, vouched: str, rules: TrustRules
) -> Application:
    """Let the configuration count in a fresh worktree if it is vouched for.

    `vouched` is the hash that came with the task; empty for none.
    """
    try:
        files = load_proposals(worktree)
    except UserError:
        # Starting the loop names the mistake, if the configuration is needed.
        return Application(is_used=False)
    untrusted = describe_untrusted(context, files)
    if not untrusted:
        return Application(is_used=True)
    digest = combine_digests(files)
    names = ", ".join(f"`{file.name}`" for file in files)
    reason = _refuse(digest, files, worktree=worktree, vouched=vouched, rules=rules)
    if reason:
        return Application(is_used=False, note=f"{names} does not count: {reason}")
    for file in files:
        record_trust(context.home, file.path, sha256=file.sha256, text=file.text)
    who = "this worker's owner" if digest in rules.own else "who added the task"
    return Application(is_used=True, note=f"{names} counts: {who} trusts sha256 {digest}")


def _refuse(
    digest: str, files: tuple[Proposal, ...], *, worktree: Path, vouched: str, rules: TrustRules
) -> str:
    """Return why the files may not count; empty if they may."""
    # A link would make another file of this machine trusted.
    top = worktree.resolve()
    outside = [file.name for file in files if not file.path.resolve().is_relative_to(top)]
    if outside:
        return f"`{outside[0]}` is a link out of the repository; replace it by a file"
    if digest in rules.own:
        return ""
    if not rules.takes_submitters:
        return f"this worker trusts only what its owner does: `--trust {digest}`"
    if not vouched:
        return f"who added the task does not trust it; {_REMEDY}"
    if vouched != digest:
        return f"it has sha256 {digest}, and who added the task trusts {vouched}; {_REMEDY}"
    return ""
