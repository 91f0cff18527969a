"""git for plan runs: plumbing, with the programs a repository could name switched off."""

import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from untildone.errors import UserError
from untildone.process import environment, run

_SECONDS = 300
_SAFE = (
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
    *("-c", "commit.gpgSign=false", "-c", "gc.auto=0", "-c", "core.quotePath=false"),
    *("-c", "advice.detachedHead=false"),
)
_BESIDE = re.compile("hint|warning")
_KIND = re.compile("^(fatal|error): ")
_NOTHING: Mapping[str, str] = {}
# What git would make up from the name of the machine is no name.
_TOLD = ("-c", "user.useConfigOnly=true")
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

    def ask(self, *arguments: str, env: Mapping[str, str] = _NOTHING) -> str:
        answer = self._run(arguments, env)
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
        return self.knows(*_TOLD, *words) or self.ask(*words, env=_NOBODY)

    def _run(self, arguments: tuple[str, ...], env: Mapping[str, str] = _NOTHING) -> _Answer:
        own = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
        plain = {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
        heard: list[bytes] = []
        with tempfile.TemporaryDirectory(prefix="untildone-") as folder:
            errors = Path(folder) / "errors"
            finished = run(
                ["git", *_SAFE, *arguments],
                cwd=self.folder,
                timeout=_SECONDS,
                env={**environment(own), **plain, **env},
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
