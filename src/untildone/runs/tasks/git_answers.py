"""git for plan runs: its answer, or the reason why there is none."""

import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from untildone.errors import UserError
from untildone.process.git import run_git

_SECONDS = 300
# The first version that can merge without a checkout.
_OLDEST = (2, 38)
_NOT_A_REASON = re.compile("hint|warning")
_KIND = re.compile("^(fatal|error): ")
_NOTHING: Mapping[str, str] = {}
OUR_NAME = {
    f"GIT_{role}_{field}": value
    for role in ("AUTHOR", "COMMITTER")
    for field, value in (("NAME", "untildone"), ("EMAIL", "untildone@localhost"))
}


class Git(Struct, frozen=True):
    """git in one folder; `ask` raises if git fails, with its message."""

    folder: Path

    def ask(self, *arguments: str, env: Mapping[str, str] = _NOTHING, stdin: bytes = b"") -> str:
        code, output, complaint = self._run(arguments, env, stdin=stdin)
        if code != 0:
            raise _make_error(self.folder, arguments[0], complaint)
        return output.strip()

    def ask_with_status(
        self, *arguments: str, env: Mapping[str, str] = _NOTHING
    ) -> tuple[int, str]:
        """Return exit code and output; exit code 1 is an answer too."""
        code, output, complaint = self._run(arguments, env)
        if code is None or code > 1:
            raise _make_error(self.folder, arguments[0], complaint)
        return code, output

    def ask_or_empty(self, *arguments: str) -> str:
        """Return the output, or an empty text if git fails."""
        code, output, _ = self._run(arguments)
        return output.strip() if code == 0 else ""

    def find_commit(self, name: str) -> str:
        """Return the id of the commit that a name refers to, or an empty text."""
        return self.ask_or_empty("rev-parse", "--verify", "-q", f"{name}^{{commit}}")

    def get_tip(self, branch: str) -> str:
        return self.ask("rev-parse", f"refs/heads/{branch}")

    def move_branch(self, branch: str, commit: str, *, onto: str) -> None:
        """Move the branch from `onto` to `commit`; refused if somebody moved it meanwhile."""
        self.ask("update-ref", f"refs/heads/{branch}", commit, onto)

    def contains(self, later: str, earlier: str) -> bool:
        """Say whether the commit `later` has `earlier` among its ancestors, or is the same."""
        if later == earlier:
            return True
        return self.ask_with_status("merge-base", "--is-ancestor", earlier, later)[0] == 0

    def make_commit(self, tree: str, *parents: str, message: str) -> str:
        """Commit with the user's configured name, else with ours."""
        options = [word for parent in parents for word in ("-p", parent)]
        words = ("commit-tree", tree, *options, "-m", message)
        return self.ask_or_empty(*words) or self.ask(*words, env=OUR_NAME)

    def _run(
        self, arguments: tuple[str, ...], env: Mapping[str, str] = _NOTHING, *, stdin: bytes = b""
    ) -> tuple[int | None, str, str]:
        """Return the exit code, None if git could not be run, its output and its complaint."""
        output: list[bytes] = []
        with tempfile.TemporaryDirectory(prefix="untildone-") as folder:
            errors = Path(folder) / "errors"
            finished = run_git(
                arguments,
                cwd=self.folder,
                timeout=_SECONDS,
                variables=env,
                stdin=stdin,
                errors=errors,
                # The whole output: a merge may name many files.
                on_output=output.append,
            )
            complaint = (
                errors.read_text(encoding="utf-8", errors="replace") if errors.exists() else ""
            )
        return finished.exit_code, os.fsdecode(b"".join(output)), finished.missing or complaint


def require_git_version(git: Git) -> None:
    """Refuse a git that is too old before any work is done."""
    version = git.ask("version")
    numbers = [int(part) for part in version.split()[2].split(".")[:2] if part.isdigit()]
    if tuple(numbers) < _OLDEST:
        raise UserError(
            f"`{version}` cannot merge beside a checkout", hint="install git 2.38 or newer"
        )


def _make_error(folder: Path, verb: str, complaint: str) -> UserError:
    lines = [
        line for line in complaint.splitlines() if line.strip() and not _NOT_A_REASON.match(line)
    ]
    # The last line may only say that it failed.
    reason = "; ".join(_KIND.sub("", line) for line in lines[-2:]) or "no reason given"
    return UserError(
        f"`git {verb}` failed in `{folder}`: {reason}",
        hint="fix that, then run the same command again to resume",
    )
