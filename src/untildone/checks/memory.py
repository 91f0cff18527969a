"""What earlier runs of a check came to: green on the same tree need not be run again."""

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from itertools import islice, pairwise
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from untildone import __version__
from untildone.commands.programs import split_words
from untildone.core.check_results import CheckOutcome, CheckResult
from untildone.core.contract import Check

_KEPT = 20
_FINDINGS_KEPT = 200
_MOST_OUTSIDE = 2_000
# What differs from shell to shell and means nothing to a check.
_VOLATILE = frozenset(
    (
        *("_", "COLUMNS", "DISPLAY", "LINES", "OLDPWD", "PWD", "SHLVL", "STY", "TERM"),
        *("TERM_PROGRAM", "TERM_SESSION_ID", "TMUX", "TMUX_PANE", "WINDOWID", "XDG_SESSION_ID"),
        *("UNTILDONE_HOME", "UNTILDONE_RUN", "SSH_AUTH_SOCK", "SSH_CONNECTION", "SSH_TTY"),
    )
)
# Dependencies that git ignores: their own record of what is installed stands for them.
_INSTALLED = ("node_modules/.package-lock.json", "node_modules/.yarn-state.yml", ".venv/pyvenv.cfg")


class _Entry(Struct, frozen=True, kw_only=True):
    key: str
    result: CheckResult


class Memory:
    """`serving` False: nothing is taken from it, as for a run that `done` is to rest on."""

    def __init__(self, folder: Path, environ: Mapping[str, str], *, serving: bool = True) -> None:
        self._folder = folder
        self._environ = environ
        self.serving = serving

    def key(self, check: Check, project: Path, tree: str) -> str:
        """Command, tree, tools and environment: whatever could change the answer."""
        parts = [
            msgspec.json.encode(check).decode(),
            tree,
            __version__,
            *(stamp for path in self._tools(check, project) for stamp in _stamps(path)),
            *(
                f"{name}={value}"
                for name, value in sorted(self._environ.items())
                if name not in _VOLATILE
            ),
        ]
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()

    def _tools(self, check: Check, project: Path) -> Iterator[Path]:
        """What the command names, outside the project too, and what is installed beside it."""
        yield from (project / name for name in _INSTALLED)
        yield from sorted(project.glob(".venv/lib/python*/site-packages"))
        for word in _read_words(check.command):
            outside = _outside(word, project / check.cwd, project)
            found = None if os.sep in word else shutil.which(word, path=self._environ.get("PATH"))
            program = outside or (Path(found) if found else None)
            if program:
                yield program
                yield from sorted(program.parent.parent.glob("lib/python*/*-packages"))

    def green(self, check: Check, key: str) -> CheckResult | None:
        """The result to serve instead of a run; red is never served."""
        if not self.serving:
            return None
        for entry in self._entries(check):
            if entry.key == key and entry.result.green:
                return replace(entry.result, cached=True)
        return None

    def last(self, check: Check) -> CheckResult | None:
        """What its last run came to, on whatever tree."""
        entries = self._entries(check)
        return entries[-1].result if entries else None

    def outcome(self, check: Check, key: str) -> CheckOutcome | None:
        """What the last run on this very tree came to."""
        found = [entry.result.outcome for entry in self._entries(check) if entry.key == key]
        return found[-1] if found else None

    def remember(self, check: Check, key: str, result: CheckResult) -> None:
        kept = replace(result, findings=result.findings[:_FINDINGS_KEPT], output="")
        others = [entry for entry in self._entries(check) if entry.key != key]
        entries = [*others, _Entry(key=key, result=kept)][-_KEPT:]
        path = self._path(check)
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            temporary = path.with_suffix(f".{os.getpid()}")
            temporary.write_bytes(msgspec.json.encode(entries))
            temporary.replace(path)
        except OSError:
            # A run that cannot be remembered is run again.
            return

    def _entries(self, check: Check) -> list[_Entry]:
        try:
            return msgspec.json.decode(self._path(check).read_bytes(), type=list[_Entry])
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return []

    def _path(self, check: Check) -> Path:
        identity = json.dumps([check.name, check.command, check.cwd])
        return self._folder / f"{hashlib.sha256(identity.encode()).hexdigest()[:24]}.json"


def _read_words(command: str) -> Iterator[str]:
    """Each word, and what an option is set to; not where the output is sent."""
    for before, word in pairwise(("", *split_words(command))):
        if ">" not in before:
            yield word
            yield word.partition("=")[2]


def _outside(word: str, folder: Path, project: Path) -> Path | None:
    """The file or folder of that name, if it is no part of the project's own tree."""
    path = folder / word
    if not word or not (os.path.isfile(path) or os.path.isdir(path)):  # noqa: PTH112, PTH113  long words
        return None
    return None if path.resolve().is_relative_to(project.resolve()) else path


def _stamps(path: Path) -> Iterator[str]:
    """Of a folder with all that is in it; installed packages tell by their folder's own time."""
    yield _stamp(path)
    if path.is_dir() and not path.name.endswith("-packages"):
        every = (Path(top) / name for top, _, names in os.walk(path) for name in names)
        inside = list(islice(every, _MOST_OUTSIDE))
        if len(inside) == _MOST_OUTSIDE:
            # Too much to look at: no two keys are the same.
            yield secrets.token_hex(8)
        yield from map(_stamp, sorted(inside))


def _stamp(path: Path) -> str:
    try:
        status = path.stat()
    except OSError:
        return f"{path} -"
    # npm gives every file the same time of change: only the time of its arrival tells.
    return f"{path} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_size}"
