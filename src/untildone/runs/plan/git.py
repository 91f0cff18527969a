"""git for plan runs: answers, or the reason why there is none."""

import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from untildone.errors import UserError
from untildone.process.git import run_git

_SECONDS = 300
_BESIDE = re.compile("hint|warning")
_KIND = re.compile("^(fatal|error): ")
_NOTHING: Mapping[str, str] = {}
_OURS = {"NAME": "untildone", "EMAIL": "untildone@localhost"}
_NOBODY = {
    f"GIT_{who}_{what}": ours for who in ("AUTHOR", "COMMITTER") for what, ours in _OURS.items()
}


class _Answer(Struct, frozen=True):
    """`code` is None where git could not be run to its end; `complaint` is what went wrong."""

    code: int | None
    output: str
    complaint: str


class Git(Struct, frozen=True):
    """git in one folder; `ask` raises where git fails, naming what it said."""

    folder: Path

    def ask(self, *arguments: str, env: Mapping[str, str] = _NOTHING, stdin: bytes = b"") -> str:
        answer = self._run(arguments, env, stdin=stdin)
        if answer.code != 0:
            raise _failed(self.folder, arguments[0], answer.complaint)
        return answer.output.strip()

    def tried(self, *arguments: str) -> tuple[int, str]:
        """The exit code and the output, where failing is an answer too."""
        answer = self._run(arguments)
        if answer.code is None or answer.code > 1:
            raise _failed(self.folder, arguments[0], answer.complaint)
        return answer.code, answer.output

    def knows(self, *arguments: str) -> str:
        """The answer, or nothing where git has none."""
        answer = self._run(arguments)
        return answer.output.strip() if answer.code == 0 else ""

    def commit(self, name: str) -> str:
        """The id of the commit a name stands for, or nothing."""
        return self.knows("rev-parse", "--verify", "-q", f"{name}^{{commit}}")

    def contains(self, later: str, earlier: str) -> bool:
        known = later == earlier
        return known or self.tried("merge-base", "--is-ancestor", earlier, later)[0] == 0

    def committed(self, tree: str, *parents: str, message: str) -> str:
        """In the person's own name where they told git, else in ours."""
        above = [word for parent in parents for word in ("-p", parent)]
        words = ("commit-tree", tree, *above, "-m", message)
        return self.knows(*words) or self.ask(*words, env=_NOBODY)

    def _run(
        self, arguments: tuple[str, ...], env: Mapping[str, str] = _NOTHING, *, stdin: bytes = b""
    ) -> _Answer:
        heard: list[bytes] = []
        with tempfile.TemporaryDirectory(prefix="untildone-") as folder:
            errors = Path(folder) / "errors"
            finished = run_git(
                arguments,
                cwd=self.folder,
                timeout=_SECONDS,
                variables=env,
                stdin=stdin,
                errors=errors,
                # All of it, however many files a merge names.
                hear=heard.append,
            )
            said = errors.read_text(encoding="utf-8", errors="replace") if errors.exists() else ""
        output = os.fsdecode(b"".join(heard))
        return _Answer(finished.exit_code, output, finished.missing or said)


def _failed(folder: Path, verb: str, said: str) -> UserError:
    lines = [line for line in said.splitlines() if line.strip() and not _BESIDE.match(line)]
    # The last line may say no more than that it failed.
    reason = "; ".join(_KIND.sub("", line) for line in lines[-2:]) or "no reason given"
    return UserError(
        f"`git {verb}` failed in `{folder}`: {reason}",
        hint="mend that, then run the same command again: it goes on where it was",
    )
