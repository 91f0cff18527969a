"""Repositories of queued tasks: fetched into a cache of ours, pushed to without being trusted."""

import fnmatch
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from untildone.errors import UserError
from untildone.process.git import run_git_transfer
from untildone.runs.queue.retry_rules import is_curable_transfer
from untildone.runs.tasks.git_answers import Git, require_git_version
from untildone.runs.tasks.slugs import make_slug
from untildone.store.lock import hold_lock

_SECONDS = 1_800
_LOCK_SECONDS = 3_600


class TransferError(UserError):
    """git could not fetch or push; `is_curable` if a later try may succeed."""

    is_curable = True


class Push(Struct, frozen=True, kw_only=True):
    """A commit for a ref, by force, or with `is_new` only if the ref does not exist yet.

    With `replaces` only if the ref is still at that commit.
    """

    ref: str
    commit: str
    is_new: bool = False
    replaces: str = ""

    @property
    def lease(self) -> str:
        is_leased = self.is_new or self.replaces
        return f"--force-with-lease={self.ref}:{self.replaces}" if is_leased else ""


def is_allowed(repository: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(repository, pattern) for pattern in patterns)


class Repository:
    """The cached copy of one repository; its worktrees belong to the workers."""

    def __init__(self, folder: Path, url: str) -> None:
        self.url = url
        self._folder = folder / make_slug(url)
        self.git = Git(self._folder)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other workers of this machine from changing the cache meanwhile."""
        self._folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self._folder.with_name(f"{self._folder.name}.lock")
        with hold_lock(path, timeout=_LOCK_SECONDS):
            yield

    def prepare(self) -> None:
        """Create the cache; what a crash left half done is begun anew."""
        with self.lock():
            if (self._folder / ".git" / "ready").exists():
                return
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder.mkdir(mode=0o700)
            self.git.ask("init", "-q", "--template=", "--initial-branch=untildone-cache")
            require_git_version(self.git)
            (self._folder / ".git" / "ready").touch()

    def fetch(self, name: str) -> str:
        """Fetch a branch, tag or commit, by default the HEAD, and return the commit."""
        with _open_transfer() as transfer:
            self._transfer(transfer, "fetch", "-q", "--no-tags", "--", self.url, f"+{name}:refs/x")
            commit = self._transfer(transfer, "rev-parse", "refs/x^{commit}").strip()
        # Keeps the content from ever being removed as unused.
        self.git.ask("update-ref", f"refs/untildone/fetched/{commit}", commit)
        return commit

    def has(self, commit: str) -> bool:
        return bool(self.git.find_commit(commit))

    def find(self, ref: str) -> str:
        """Return the commit that a ref has at this time, or nothing."""
        with _open_transfer() as transfer:
            return self._list_refs(transfer, [ref]).get(ref, "")

    def bring(self, ref: str, commit: str) -> str:
        """Fetch a ref unless the cache has its commit; return the commit."""
        return commit if self.has(commit) else self.fetch(ref)

    def is_pushed(self, pushes: Sequence[Push]) -> bool:
        with _open_transfer() as transfer:
            there = self._list_refs(transfer, [push.ref for push in pushes])
        return all(there.get(push.ref) == push.commit for push in pushes)

    def push(self, pushes: Sequence[Push], *, removed: str = "") -> None:
        """Push all refs or none, and remove those of a pattern; what is there stays as it is."""
        leases = [push.lease for push in pushes if push.lease]
        refs = [f"{'' if push.lease else '+'}{push.commit}:{push.ref}" for push in pushes]
        names = [push.ref for push in pushes]
        with _open_transfer() as transfer:
            # What is forced or replaces a known commit needs no look first.
            needs_look = bool(removed) or any(push.is_new for push in pushes)
            listed = [*names, *([removed] if removed else [])]
            there = self._list_refs(transfer, listed) if needs_look else {}
            if all(there.get(push.ref) == push.commit for push in pushes):
                refs, leases = [], []
            refs += [f":{ref}" for ref in there if ref not in names]
            if refs:
                options = ("-q", "--atomic", "--no-verify", *leases)
                self._transfer(transfer, "push", *options, "--", self.url, *refs)

    def list_refs(self, pattern: str) -> tuple[str, ...]:
        with _open_transfer() as transfer:
            return tuple(self._list_refs(transfer, [pattern]))

    def remove_refs(self, refs: Sequence[str]) -> None:
        with _open_transfer() as transfer:
            deletions = [f":{ref}" for ref in refs]
            self._transfer(transfer, "push", "-q", "--no-verify", "--", self.url, *deletions)

    def _list_refs(self, transfer: Path, refs: Sequence[str]) -> dict[str, str]:
        output = self._transfer(transfer, "ls-remote", "--", self.url, *refs)
        pairs = (line.split("\t", 1) for line in output.splitlines() if "\t" in line)
        return {name: commit for commit, name in pairs}

    def _transfer(self, transfer: Path, *arguments: str) -> str:
        output: list[bytes] = []
        errors = transfer / "errors"
        finished = run_git_transfer(
            arguments,
            repository=transfer,
            objects=self._folder / ".git" / "objects",
            timeout=_SECONDS,
            errors=errors,
            on_output=output.append,
        )
        if finished.exit_code != 0:
            complaint = errors.read_text("utf-8", "replace") if errors.exists() else ""
            reason = finished.missing or complaint.strip() or "no reason given"
            error = TransferError(
                f"`git {arguments[0]}` failed for `{self.url}`: {reason[-500:]}",
                hint="try the same with git on the worker's machine",
            )
            error.is_curable = is_curable_transfer(reason)
            raise error
        return os.fsdecode(b"".join(output))


@contextmanager
def _open_transfer() -> Iterator[Path]:
    """Yield a new bare repository: an agent may have changed the settings of any other one."""
    with tempfile.TemporaryDirectory(prefix="untildone-") as name:
        folder = Path(name)
        (folder / "objects").mkdir()
        (folder / "refs").mkdir()
        (folder / "HEAD").write_text("ref: refs/heads/untildone\n", encoding="utf-8")
        (folder / "config").write_text(
            "[core]\n\trepositoryformatversion = 0\n\tbare = true\n", encoding="utf-8"
        )
        yield folder
