"""Finds and reads the configuration files; an error lists every problem with its line."""

import hashlib
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from untildone.config.key_lines import find_key_lines, find_line
from untildone.config.key_path import KeyPath
from untildone.config.model import Configuration, UserSettings
from untildone.config.type_validation import ConfigProblem, find_type_problems
from untildone.config.value_validation import find_value_problems
from untildone.core.contract import Check
from untildone.errors import UserError
from untildone.worktree.files import find_files_named

OWN_FILE = "untildone.toml"
_SHARED_FILE = "pyproject.toml"
_SECTION = ("tool", "untildone")
_LARGEST_FILE = 1_000_000
_MOST_FILES = 200
_MOST_REPORTED = 20
# Invalid value (at line 1, column 5)
_TOML_ERROR = re.compile(
    r"(?P<what>.*) \(at line (?P<line>\d+), column (?P<column>\d+)\)", re.DOTALL
)


class Proposal(Struct, frozen=True, kw_only=True):
    """The configuration in one file, with the hash that `trust` records.

    `folder` is relative to the project.
    """

    path: Path
    sha256: str
    text: str
    configuration: Configuration
    folder: str = ""

    @property
    def name(self) -> str:
        """The path relative to the project."""
        return f"{self.folder}/{self.path.name}" if self.folder else self.path.name

    def make_checks(self) -> dict[str, Check]:
        """The checks by their names in the file; their full names are `folder:name`."""
        return {name: self._make_check(name) for name in self.configuration.checks}

    def _make_check(self, name: str) -> Check:
        settings = msgspec.structs.asdict(self.configuration.checks[name])
        cwd = "/".join(filter(None, (self.folder, settings.pop("cwd"))))
        full = f"{self.folder}:{name}" if self.folder else name
        return Check(name=full, cwd=cwd, reason=f"configured in `{self.name}`", **settings)


def load_proposals(project: Path) -> tuple[Proposal, ...]:
    """The project's own file, then those of its folders in order."""
    own = load_proposal(project)
    below = sorted(path for path in find_files_named(project, OWN_FILE) if path.parent != Path())
    if len(below) > _MOST_FILES:
        raise UserError(
            f"there are {len(below)} files `{OWN_FILE}` below `{project}`, more than {_MOST_FILES}",
            hint="let git ignore folders that do not belong to the project",
        )
    return (*filter(None, (own,)), *(_load_own(project, path.parent.as_posix()) for path in below))


def load_proposal(project: Path) -> Proposal | None:
    if (project / OWN_FILE).is_file():
        return _load_own(project)
    if (project / _SHARED_FILE).is_file():
        return _load_section(project / _SHARED_FILE)
    return None


def load_user_settings(path: Path) -> UserSettings:
    """The user's settings for all projects; the defaults if there is no such file."""
    if not path.is_file():
        return UserSettings()
    file = _read(path, shown=str(path))
    own = file.parse()
    file.raise_problems(_find_problems(own, UserSettings), hint="fix it there")
    return msgspec.convert(own, UserSettings)


def _load_own(project: Path, folder: str = "") -> Proposal:
    shown = f"{folder}/{OWN_FILE}" if folder else OWN_FILE
    file = _read(project / folder / OWN_FILE, shown=shown)
    return _make_proposal(file, file.parse(), folder=folder)


def _load_section(path: Path) -> Proposal | None:
    """A broken `pyproject.toml` is ignored: the project's own tools report it."""
    try:
        file = _read(path, shown=path.name)
        tools = file.parse().get(_SECTION[0])
    except UserError:
        return None
    own = tools.get(_SECTION[1]) if isinstance(tools, dict) else None
    return None if own is None else _make_proposal(file, own, within=_SECTION)


def _make_proposal(
    file: "_File", own: object, *, folder: str = "", within: KeyPath = ()
) -> Proposal:
    found = [
        ConfigProblem((*within, *each.path), each.text)
        for each in _find_problems(own, Configuration)
    ]
    file.raise_problems(found, hint="fix it there, then `untildone trust`")
    return Proposal(
        path=file.path,
        sha256=file.sha256,
        text=file.text,
        configuration=msgspec.convert(own, Configuration),
        folder=folder,
    )


class _File(Struct, frozen=True, kw_only=True):
    """A file that was read; `shown` is its name in messages."""

    path: Path
    shown: str
    sha256: str
    text: str

    def parse(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            found = _TOML_ERROR.fullmatch(str(error))
            location = f"{self.shown}:{found['line']}:{found['column']}" if found else self.shown
            what = found["what"] if found else str(error)
            reason = f"{what[:1].lower()}{what[1:]}"
        except RecursionError:
            location, reason = self.shown, "nested too deep"
        raise UserError(f"{location}: not TOML: {reason}", hint="fix it there")

    def raise_problems(self, found: Sequence[ConfigProblem], *, hint: str) -> None:
        if not found:
            return
        lines = find_key_lines(self.text)
        reported = sorted((find_line(lines, each.path), each.text) for each in found)
        listed = [f"{self.shown}:{line}: {what}" for line, what in reported[:_MOST_REPORTED]]
        if len(reported) > _MOST_REPORTED:
            listed.append(f"and {len(reported) - _MOST_REPORTED} more")
        raise UserError("\n".join(listed), hint=hint)


def _read(path: Path, *, shown: str) -> _File:
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST_FILE + 1)
    except OSError as error:
        raise UserError(
            f"`{shown}` cannot be read: {error.strerror}", hint="make it readable"
        ) from None
    if len(data) > _LARGEST_FILE:
        raise UserError(f"`{shown}` is larger than {_LARGEST_FILE} bytes", hint="shorten it")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(
            f"{shown}:{line}: not TOML: a byte that is not UTF-8", hint="save it as UTF-8"
        ) from None
    digest = hashlib.sha256(data).hexdigest()
    return _File(path=path, shown=shown, sha256=digest, text=text)


def _find_problems(
    own: object, kind: type[Configuration] | type[UserSettings]
) -> list[ConfigProblem]:
    found = list(find_type_problems(own, kind))
    if not isinstance(own, dict):
        return found
    # A value of the wrong type is not also missing.
    known = {each.path[:end] for each in found for end in range(len(each.path) + 1)}
    return [*found, *(each for each in find_value_problems(own) if each.path not in known)]
