"""The configuration in `untildone.toml` or `pyproject.toml`, and the user's settings."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from untildone.config.key_lines import KeyPath
from untildone.config.schema import Configuration, UserSettings
from untildone.config.toml_file import TomlFile, read_toml_file
from untildone.config.type_validation import ConfigProblem, find_type_problems
from untildone.config.value_validation import find_value_problems
from untildone.core.contract import Check
from untildone.errors import UserError
from untildone.worktree.listing import find_files_named

OWN_FILE = "untildone.toml"
_SHARED_FILE = "pyproject.toml"
_SECTION = ("tool", "untildone")
_MOST_FILES = 200


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
        """Return the path relative to the project."""
        return f"{self.folder}/{self.path.name}" if self.folder else self.path.name

    def make_checks(self) -> dict[str, Check]:
        """Return the checks by their names in the file; their full names are `folder:name`."""
        checks = {}
        for name, check in self.configuration.checks.items():
            settings = msgspec.structs.asdict(check)
            settings["cwd"] = "/".join(filter(None, (self.folder, check.cwd)))
            settings["after"] = tuple(map(self._make_full_name, check.after))
            reason = f"configured in `{self.name}`"
            checks[name] = Check(name=self._make_full_name(name), reason=reason, **settings)
        return checks

    def _make_full_name(self, check: str) -> str:
        return f"{self.folder}:{check}" if self.folder else check


def load_proposals(project: Path) -> tuple[Proposal, ...]:
    """Return the project's own file, then those of its folders in order."""
    proposal = load_proposal(project)
    paths = sorted(path for path in find_files_named(project, OWN_FILE) if path.parent != Path())
    if len(paths) > _MOST_FILES:
        raise UserError(
            f"there are {len(paths)} files `{OWN_FILE}` below `{project}`, more than {_MOST_FILES}",
            hint="let git ignore folders that do not belong to the project",
        )
    others = (_load_own(project, path.parent.as_posix()) for path in paths)
    return (*((proposal,) if proposal else ()), *others)


def load_proposal(project: Path) -> Proposal | None:
    if (project / OWN_FILE).is_file():
        return _load_own(project)
    if (project / _SHARED_FILE).is_file():
        return _load_section(project / _SHARED_FILE)
    return None


def combine_digests(files: Sequence[Proposal]) -> str:
    """Return the hash of what `sha256sum` prints of several files; a script can compute it."""
    if len(files) == 1:
        return files[0].sha256
    lines = "".join(f"{file.sha256}  {file.name}\n" for file in files)
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()


def load_user_settings(path: Path) -> UserSettings:
    """Return the user's settings for all projects; the defaults if there is no such file."""
    if not path.is_file():
        return UserSettings()
    file = read_toml_file(path, shown=str(path))
    settings = file.parse()
    file.raise_problems(_find_problems(settings, UserSettings), hint="fix it there")
    return msgspec.convert(settings, UserSettings)


def _load_own(project: Path, folder: str = "") -> Proposal:
    shown = f"{folder}/{OWN_FILE}" if folder else OWN_FILE
    file = read_toml_file(project / folder / OWN_FILE, shown=shown)
    return _make_proposal(file, file.parse(), folder=folder)


def _load_section(path: Path) -> Proposal | None:
    """Return the section of `pyproject.toml`; None if broken, which the project's tools report."""
    try:
        file = read_toml_file(path, shown=path.name)
        tools = file.parse().get(_SECTION[0])
    except UserError:
        return None
    settings = tools.get(_SECTION[1]) if isinstance(tools, dict) else None
    return None if settings is None else _make_proposal(file, settings, within=_SECTION)


def _make_proposal(
    file: TomlFile, settings: object, *, folder: str = "", within: KeyPath = ()
) -> Proposal:
    problems = [
        ConfigProblem((*within, *problem.path), problem.text)
        for problem in _find_problems(settings, Configuration)
    ]
    file.raise_problems(problems, hint="fix it there, then `untildone trust`")
    return Proposal(
        path=file.path,
        sha256=file.sha256,
        text=file.text,
        configuration=msgspec.convert(settings, Configuration),
        folder=folder,
    )


def _find_problems(
    settings: object, kind: type[Configuration] | type[UserSettings]
) -> list[ConfigProblem]:
    problems = list(find_type_problems(settings, kind))
    if not isinstance(settings, dict):
        return problems
    # A value of the wrong type is not also missing.
    known = {problem.path[:end] for problem in problems for end in range(len(problem.path) + 1)}
    problems += (problem for problem in find_value_problems(settings) if problem.path not in known)
    return problems
