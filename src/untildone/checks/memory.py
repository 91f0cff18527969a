"""What earlier runs of a check came to: green on the same tree need not be run again."""

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from untildone.checks.command import programs
from untildone.loop.model import Check, CheckOutcome, CheckResult

_KEPT = 20
_FINDINGS_KEPT = 200
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
            *(_stamp(path) for path in self._tools(check, project)),
            *(
                f"{name}={value}"
                for name, value in sorted(self._environ.items())
                if name not in _VOLATILE
            ),
        ]
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()

    def _tools(self, check: Check, project: Path) -> list[Path]:
        found = [
            shutil.which(name, path=self._environ.get("PATH")) for name in programs(check.command)
        ]
        site = sorted(project.glob(".venv/lib/python*/site-packages"))
        installed = [project / name for name in _INSTALLED]
        return [*map(Path, filter(None, found)), *installed, *site]

    def green(self, check: Check, key: str) -> CheckResult | None:
        """The result to serve instead of a run; red is never served."""
        if not self.serving:
            return None
        for entry in self._entries(check):
            if entry.key == key and entry.result.green:
                return replace(entry.result, cached=True)
        return None

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


def _stamp(path: Path) -> str:
    try:
        status = path.stat()
    except OSError:
        return f"{path} -"
    return f"{path} {status.st_mtime_ns} {status.st_size}"
