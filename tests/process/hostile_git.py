"""Repositories that name programs wherever git lets them; each program leaves a mark."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from snippets import snippet

WHO = {
    f"GIT_{who}_{what}": "someone" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
}
HOOKS = ("post-checkout", "post-index-change", "reference-transaction", "pre-commit", "post-commit")
ATTRIBUTES = """\
*.py filter=plain diff=shown merge=joined
*.md filter=long
*.txt filter=In.Cluded
*.cfg filter=apart
*.ini filter=user
"""
FILES = {
    ".gitattributes": ATTRIBUTES,
    ".gitignore": "bare/\n",
    "shop.py": "first = 1\n\n\n\n\nlast = 1\n",
    "notes.md": "notes\n",
    "data.txt": "data\n",
    "setup.cfg": "[shop]\n",
    "shop.ini": "[shop]\n",
}
CONFIG = """\
[include]
    path = included
[includeIf "gitdir:**/worktrees/**"]
    path = apart
[core]
    fsmonitor = {fsmonitor}
    pager = {pager}
    editor = {editor}
    askPass = {askpass}
    sshCommand = {ssh}
    alternateRefsCommand = {alternates}
[pager]
    status = {pager}
[alias]
    st = !{alias}
    status = !{alias}
[filter "plain"]
    clean = {clean}
    smudge = {smudge}
    required
[filter "long"]
    process = {process}
[diff]
    external = {external}
[diff "shown"]
    command = {diff-command}
    textconv = {textconv}
[merge "joined"]
    driver = {merge}
[commit]
    gpgSign = true
[gpg]
    program = {gpg}
[hook "set"]
    command = {config-hook}
    event = reference-transaction
"""


class Hostile:
    """A repository `project` whose programs leave their names in `marks`."""

    def __init__(self, folder: Path) -> None:
        self.project, self.marks = folder / "project", folder / "marks"
        self.home, self.programs = folder / "home", folder / "programs"
        for place in (self.project, self.marks, self.home, self.programs):
            place.mkdir(parents=True)
        self.environ = {"PATH": os.environ["PATH"], "HOME": str(self.home)}
        self._commit()
        nested = self.project / "nested"
        self._write(self.project / ".git" / "config", self._config())
        self._write(self.project / ".git" / "included", self._filter("In.Cluded"))
        self._write(self.project / ".git" / "apart", self._filter("apart"))
        self._write(self.home / ".gitconfig", self._filter("user"))
        inner = f"[core]\n    fsmonitor = {self.program('nested-fsmonitor')}\n"
        self._write(nested / ".git" / "config", inner + self._filter("nested"))
        bare = self.project / "bare"
        self.git("init", "-q", "--bare", str(bare))
        watched = snippet("""
            [core]
                repositoryFormatVersion = 0
                bare = false
                worktree = ..
        """)
        config = f"{watched}    fsmonitor = {self.program('bare')}\n"
        self._write(bare / "config", config, anew=True)
        for hook in HOOKS:
            self.program(hook, self.project / ".git" / "hooks" / hook)

    def git(self, *words: str, cwd: Path | None = None, check: bool = True) -> str:
        """As its user would call it, with nothing switched off."""
        environ = {**self.environ, **WHO}
        done = subprocess.run(
            ["git", *words],
            cwd=cwd or self.project,
            env=environ,
            check=check,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=20,
        )
        return done.stdout.strip()

    def left(self) -> list[str]:
        return sorted(path.name for path in self.marks.iterdir())

    def arm(self, *, again: bool = False) -> None:
        """Nothing is marked, and each file has to be read again to see that it is as it was."""
        for mark in () if again else self.marks.iterdir():
            mark.unlink()
        for name in (*FILES, "nested/inner.txt"):
            os.utime(self.project / name)

    def program(self, name: str, place: Path | None = None) -> Path:
        path = place or self.programs / name
        path.parent.mkdir(exist_ok=True)
        # Whoever does not pass on what a filter gets is asked no second time.
        then = "cat" if name.startswith(("filter", "clean", "smudge")) else ":"
        path.write_text(f"#!/bin/sh\ntouch '{self.marks / name}'\n{then}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    def _commit(self) -> None:
        nested = self.project / "nested"
        self.git("init", "-q", "-b", "main")
        for name, text in FILES.items():
            self._write(self.project / name, text)
        nested.mkdir()
        self.git("init", "-q", cwd=nested)
        self._write(nested / ".gitattributes", "* filter=nested\n")
        self._write(nested / "inner.txt", "inner\n")
        for place in (nested, self.project):
            self.git("add", "-A", cwd=place)
            self.git("commit", "-q", "-m", "Begin", cwd=place)
        for branch, old, new in (
            ("left", "first = 1", "first = 2"),
            ("right", "last = 1", "last = 2"),
        ):
            self.git("switch", "-q", "-c", branch, "main")
            text = FILES["shop.py"].replace(old, new)
            self._write(self.project / "shop.py", text, anew=True)
            self.git("commit", "-q", "-a", "-m", branch)
        self.git("switch", "-q", "main")

    def _config(self) -> str:
        named = ("fsmonitor", "pager", "editor", "askpass", "ssh", "alternates", "alias", "clean")
        more = ("smudge", "process", "external", "diff-command", "textconv", "merge", "gpg")
        names = (*named, *more, "config-hook")
        programs: Mapping[str, Path] = {name: self.program(name) for name in names}
        return CONFIG.format_map(programs)

    def _filter(self, name: str) -> str:
        runs = self.program(f"filter-{name}")
        return f'[filter "{name}"]\n    clean = {runs}\n    smudge = {runs}\n'

    def _write(self, path: Path, text: str, *, anew: bool = False) -> None:
        with path.open("w" if anew else "a", encoding="utf-8") as file:
            file.write(text)
