"""git for plan runs: plumbing, with the programs a repository could name switched off."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from untildone.errors import UserError
from untildone.process import Finished, environment, run

_SECONDS = 300
_SAFE = (
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
    *("-c", "commit.gpgSign=false", "-c", "gc.auto=0", "-c", "core.quotePath=false"),
    *("-c", "advice.detachedHead=false"),
)
_NOTHING: Mapping[str, str] = {}
_NOBODY = {"NAME": "untildone", "EMAIL": "untildone@localhost"}


class Git(Struct, frozen=True):
    """git in one folder; `ask` raises where git fails, naming what it said."""

    folder: Path

    def ask(self, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] = _NOTHING) -> str:
        finished, said = self._run(arguments, stdin=stdin, env=env)
        if finished.exit_code != 0:
            raise _failed(self.folder, arguments[0], said)
        return os.fsdecode(finished.head).strip()

    def tried(self, *arguments: str) -> tuple[int, str]:
        """The exit code and the output, where failing is an answer too."""
        finished, said = self._run(arguments)
        if finished.exit_code is None or finished.exit_code > 1:
            raise _failed(self.folder, arguments[0], said)
        return finished.exit_code, os.fsdecode(finished.head)

    def knows(self, *arguments: str) -> str:
        """The answer, or nothing where git has none."""
        finished, _ = self._run(arguments)
        return os.fsdecode(finished.head).strip() if finished.exit_code == 0 else ""

    def content(self, blob: str) -> bytes:
        """The whole of a file in the repository."""
        with tempfile.TemporaryDirectory(prefix="untildone-") as folder:
            log = Path(folder) / "content"
            finished, said = self._run(("cat-file", "blob", blob), log=log)
            if finished.exit_code != 0:
                raise _failed(self.folder, "cat-file", said)
            return log.read_bytes()

    def commit(self, name: str) -> str:
        """The id of the commit a name stands for, or nothing."""
        return self.knows("rev-parse", "--verify", "-q", f"{name}^{{commit}}")

    def contains(self, later: str, earlier: str) -> bool:
        return self.tried("merge-base", "--is-ancestor", earlier, later)[0] == 0

    def identity(self) -> dict[str, str]:
        """The person's own name where they told git, else ours."""
        said = self.knows("config", "--get-regexp", r"^user\.(name|email)$")
        theirs = dict(line.partition(" ")[::2] for line in said.splitlines())
        return {
            f"GIT_{who}_{what}": theirs.get(f"user.{what.lower()}") or ours
            for who in ("AUTHOR", "COMMITTER")
            for what, ours in _NOBODY.items()
        }

    def _run(
        self,
        arguments: tuple[str, ...],
        *,
        stdin: bytes = b"",
        env: Mapping[str, str] = _NOTHING,
        log: Path | None = None,
    ) -> tuple[Finished, str]:
        own = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
        plain = {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
        with tempfile.TemporaryDirectory(prefix="untildone-") as folder:
            errors = Path(folder) / "errors"
            finished = run(
                ["git", *_SAFE, *arguments],
                cwd=self.folder,
                timeout=_SECONDS,
                env={**environment(own), **plain, **env},
                stdin=stdin,
                errors=errors,
                log=log,
            )
            said = errors.read_text(encoding="utf-8", errors="replace") if errors.exists() else ""
        return finished, finished.missing or said


def _failed(folder: Path, verb: str, said: str) -> UserError:
    lines = [line for line in said.strip().splitlines() if line.strip()]
    reason = lines[-1].removeprefix("fatal: ") if lines else "no reason given"
    return UserError(
        f"`git {verb}` failed in `{folder}`: {reason}",
        hint="mend that, then run the same command again: it goes on where it was",
    )
