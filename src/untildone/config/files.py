"""The files themselves: found, read, and every mistake in them told with its line."""

import hashlib
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from untildone.config.key_lines import find_key_lines, find_line
from untildone.config.model import Configuration, UserSettings
from untildone.config.type_validation import ConfigProblem, KeyPath, find_type_problems
from untildone.config.value_validation import find_value_problems
from untildone.core.model import Check
from untildone.errors import UserError
from untildone.worktree.files import files_named

OWN = "untildone.toml"
_SHARED = "pyproject.toml"
_SECTION = ("tool", "untildone")
_LARGEST = 1_000_000
_MOST_FILES = 200
_MOST_TOLD = 20
# Invalid value (at line 1, column 5)
_AT = re.compile(r"(?P<what>.*) \(at line (?P<line>\d+), column (?P<column>\d+)\)", re.DOTALL)


class Proposal(Struct, frozen=True, kw_only=True):
    """One file, its content's hash for `trust`, and what it says; `folder` below the project."""

    path: Path
    sha256: str
    text: str
    configuration: Configuration
    folder: str = ""

    @property
    def name(self) -> str:
        """As it is called from the project."""
        return f"{self.folder}/{self.path.name}" if self.folder else self.path.name

    def checks(self) -> dict[str, Check]:
        """By their names in the file; from the project's top they are `folder:name`."""
        return {name: self._check(name) for name in self.configuration.checks}

    def _check(self, name: str) -> Check:
        told = msgspec.structs.asdict(self.configuration.checks[name])
        cwd = "/".join(filter(None, (self.folder, told.pop("cwd"))))
        full = f"{self.folder}:{name}" if self.folder else name
        return Check(name=full, cwd=cwd, reason=f"configured in `{self.name}`", **told)


def load_proposals(project: Path) -> tuple[Proposal, ...]:
    """The project's own file, then those of its folders in the order of their paths."""
    own = load_proposal(project)
    below = sorted(path for path in files_named(project, OWN) if path.parent != Path())
    if len(below) > _MOST_FILES:
        raise UserError(
            f"there are {len(below)} files `{OWN}` below `{project}`, more than {_MOST_FILES}",
            hint="let git ignore the folders that are not the project's",
        )
    return (*filter(None, (own,)), *(_own(project, path.parent.as_posix()) for path in below))


def load_proposal(project: Path) -> Proposal | None:
    if (project / OWN).is_file():
        return _own(project)
    if (project / _SHARED).is_file():
        return _section(project / _SHARED)
    return None


def load_user_settings(path: Path) -> UserSettings:
    """What the person wrote for all their projects, if anything."""
    if not path.is_file():
        return UserSettings()
    file = _read(path, shown=str(path))
    own = file.parsed()
    file.refuse(_mistakes(own, UserSettings), hint="mend it there")
    return msgspec.convert(own, UserSettings)


def _own(project: Path, folder: str = "") -> Proposal:
    shown = f"{folder}/{OWN}" if folder else OWN
    file = _read(project / folder / OWN, shown=shown)
    return _proposed(file, file.parsed(), folder=folder)


def _section(path: Path) -> Proposal | None:
    """What is wrong with a whole pyproject.toml is not ours to judge: its own tools will say so."""
    try:
        file = _read(path, shown=path.name)
        tools = file.parsed().get(_SECTION[0])
    except UserError:
        return None
    own = tools.get(_SECTION[1]) if isinstance(tools, dict) else None
    return None if own is None else _proposed(file, own, within=_SECTION)


def _proposed(file: "_File", own: object, *, folder: str = "", within: KeyPath = ()) -> Proposal:
    found = [
        ConfigProblem((*within, *each.place), each.text) for each in _mistakes(own, Configuration)
    ]
    file.refuse(found, hint="mend it there, then `untildone trust`")
    return Proposal(
        path=file.path,
        sha256=file.sha256,
        text=file.text,
        configuration=msgspec.convert(own, Configuration),
        folder=folder,
    )


class _File(Struct, frozen=True, kw_only=True):
    """A file as it was read; `shown` is what it is called in messages."""

    path: Path
    shown: str
    sha256: str
    text: str

    def parsed(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            found = _AT.fullmatch(str(error))
            place = f"{self.shown}:{found['line']}:{found['column']}" if found else self.shown
            what = found["what"] if found else str(error)
            reason = f"{what[:1].lower()}{what[1:]}"
        except RecursionError:
            place, reason = self.shown, "nested too deep"
        raise UserError(f"{place}: not TOML: {reason}", hint="mend it there")

    def refuse(self, found: Sequence[ConfigProblem], *, hint: str) -> None:
        if not found:
            return
        lines = find_key_lines(self.text)
        told = sorted((find_line(lines, each.place), each.text) for each in found)
        listed = [f"{self.shown}:{line}: {what}" for line, what in told[:_MOST_TOLD]]
        if len(told) > _MOST_TOLD:
            listed.append(f"and {len(told) - _MOST_TOLD} more")
        raise UserError("\n".join(listed), hint=hint)


def _read(path: Path, *, shown: str) -> _File:
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise UserError(f"`{shown}` cannot be read: {error.strerror}", hint="mend it") from None
    if len(data) > _LARGEST:
        raise UserError(f"`{shown}` is larger than {_LARGEST} bytes", hint="shorten it")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(
            f"{shown}:{line}: not TOML: a byte that is not UTF-8", hint="save it as UTF-8"
        ) from None
    digest = hashlib.sha256(data).hexdigest()
    return _File(path=path, shown=shown, sha256=digest, text=text)


def _mistakes(own: object, kind: type[Configuration] | type[UserSettings]) -> list[ConfigProblem]:
    found = list(find_type_problems(own, kind))
    if not isinstance(own, dict):
        return found
    # What is of the wrong kind is not also missing.
    known = {each.place[:end] for each in found for end in range(len(each.place) + 1)}
    return [*found, *(each for each in find_value_problems(own) if each.place not in known)]
