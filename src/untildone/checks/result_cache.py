"""A cache of check results: a check that was green on the same tree is not run again."""

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
from untildone.checks.check_order import find_output_folders
from untildone.checks.file_stamp import read_stamp
from untildone.commands.programs import split_words
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check

_MOST_ENTRIES = 20
_MOST_FINDINGS = 200
_MOST_OUTSIDE_FILES = 2_000
# Variables that differ between shells and do not change the result of a check.
_VOLATILE = frozenset(
    (
        *("_", "COLUMNS", "DISPLAY", "LINES", "OLDPWD", "PWD", "SHLVL", "STY", "TERM"),
        *("TERM_PROGRAM", "TERM_SESSION_ID", "TMUX", "TMUX_PANE", "WINDOWID", "XDG_SESSION_ID"),
        *("UNTILDONE_HOME", "UNTILDONE_RUN", "SSH_AUTH_SOCK", "SSH_CONNECTION", "SSH_TTY"),
    )
)
# Git ignores installed dependencies; these files change when an installation does.
_INSTALLED = ("node_modules/.package-lock.json", "node_modules/.yarn-state.yml", ".venv/pyvenv.cfg")


class CachedRun(Struct, frozen=True, kw_only=True):
    """The last result with this key."""

    key: str
    result: CheckResult


class ResultCache:
    """The last runs of each check.

    With `serve_green` a green result may replace a run with the same key; a red one never does.
    """

    def __init__(
        self, folder: Path, environ: Mapping[str, str], *, serve_green: bool = True
    ) -> None:
        self._folder = folder
        self._environ = environ
        self.serve_green = serve_green

    def make_key(self, check: Check, project: Path, tree: str) -> str:
        """Return a hash of all that can change the result: command, tree, tools, environment."""
        parts = [
            msgspec.json.encode(check).decode(),
            tree,
            __version__,
            *(stamp for path in self._find_tools(check, project) for stamp in _read_stamps(path)),
            *(
                f"{name}={value}"
                for name, value in sorted(self._environ.items())
                if name not in _VOLATILE
            ),
        ]
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()

    def _find_tools(self, check: Check, project: Path) -> Iterator[Path]:
        """Yield packages, and the programs and files outside the project that the command names.

        A build's output belongs to them: a green build whose output is gone must run again.
        """
        yield from (project / name for name in _INSTALLED)
        yield from find_output_folders(check, project)
        yield from sorted(project.glob(".venv/lib/python*/site-packages"))
        for word in _list_words(check.command):
            outside = _find_outside(word, project / check.cwd, project)
            found = None if os.sep in word else shutil.which(word, path=self._environ.get("PATH"))
            program = outside or (Path(found) if found else None)
            if program:
                yield program
                yield from sorted(program.parent.parent.glob("lib/python*/*-packages"))

    def can_serve(self, result: CheckResult) -> bool:
        """Say whether the result replaces a run; one with a cut list would count too few."""
        is_whole = result.finding_count <= len(result.findings)
        return self.serve_green and result.green and is_whole

    def load_past_runs(self, check: Check) -> list[CheckResult]:
        """Return the results of the last runs on any tree, the newest at the end."""
        return [entry.result for entry in self.load(check)]

    def store(self, check: Check, key: str, result: CheckResult) -> None:
        stored = replace(
            result,
            findings=result.findings[:_MOST_FINDINGS],
            finding_count=max(result.finding_count, len(result.findings)),
            output="",
        )
        others = [entry for entry in self.load(check) if entry.key != key]
        entries = [*others, CachedRun(key=key, result=stored)][-_MOST_ENTRIES:]
        path = self._get_path(check)
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            temporary = path.with_suffix(f".{os.getpid()}")
            temporary.write_bytes(msgspec.json.encode(entries))
            temporary.replace(path)
        except OSError:
            # Without the entry the check is run again.
            return

    def load(self, check: Check) -> list[CachedRun]:
        """Return the last runs, the newest at the end."""
        try:
            return msgspec.json.decode(self._get_path(check).read_bytes(), type=list[CachedRun])
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return []

    def _get_path(self, check: Check) -> Path:
        identity = json.dumps([check.name, check.command, check.cwd])
        return self._folder / f"{hashlib.sha256(identity.encode()).hexdigest()[:24]}.json"


def _list_words(command: str) -> Iterator[str]:
    """Yield each word and each value of `--option=value`, without targets of redirections."""
    for previous, word in pairwise(("", *split_words(command))):
        if ">" not in previous:
            yield word
            yield word.partition("=")[2]


def _find_outside(word: str, folder: Path, project: Path) -> Path | None:
    """Return the file or folder of that name if it lies outside the project."""
    path = folder / word
    if not word or not (os.path.isfile(path) or os.path.isdir(path)):  # noqa: PTH112, PTH113  long words
        return None
    return None if path.resolve().is_relative_to(project.resolve()) else path


def _read_stamps(path: Path) -> Iterator[str]:
    """Yield stamps of a file, or of a folder and its files.

    Installers change the folder's own time, so the files of `site-packages` are not read.
    """
    yield f"{path} {read_stamp(path)}"
    if path.is_dir() and not path.name.endswith("-packages"):
        paths = (Path(top) / name for top, _, names in os.walk(path) for name in names)
        files = list(islice(paths, _MOST_OUTSIDE_FILES))
        if len(files) == _MOST_OUTSIDE_FILES:
            # Too many to read: a random part makes every key different.
            yield secrets.token_hex(8)
        yield from (f"{file} {read_stamp(file)}" for file in sorted(files))
