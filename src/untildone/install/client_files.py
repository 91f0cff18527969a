"""The files that `init` writes for a client and `uninstall` removes."""

import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import cast

from msgspec import Struct

import untildone
from untildone import __version__
from untildone.agents.agent import Agent
from untildone.agents.layout import Scope
from untildone.agents.registry import AGENTS
from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.install import manifest, plugin_module, settings_editing
from untildone.install.claude_lines import (
    build_project_entries,
    build_settings_entries,
    build_settings_program,
    build_shared_program,
)
from untildone.install.plain_lines import build_entries as build_plain_entries
from untildone.install.skills import build_command_files
from untildone.store.durable_files import write_atomically


class InstallPaths(Struct, frozen=True, kw_only=True):
    """The client and its folder, the project, the state, and the program to install."""

    agent: str = "claude"
    user: Path
    project: Path
    home: Path
    python: Path
    package: Path

    @property
    def client(self) -> Agent:
        return AGENTS[self.agent]

    def get_folder(self, scope: Scope) -> Path:
        """Return the folder of the client's settings in this scope."""
        return self.get_settings_file(scope).parent

    def get_settings_file(self, scope: Scope) -> Path:
        """Return the file with the hooks; raise UserError if the client has none in this scope."""
        layout = self.client.LAYOUT
        if scope not in layout.files:
            scopes = " or ".join(f"`--scope {other}`" for other in layout.files)
            raise UserError(f"{layout.title} has no settings of the scope `{scope}`", hint=scopes)
        return (self.user if scope == "user" else self.project) / layout.files[scope]

    def get_command_folder(self, scope: Scope) -> Path:
        """Return the folder below which our commands lie."""
        layout = self.client.LAYOUT
        return self.user if scope == "user" else self.project / layout.get_project_folder()

    def list_settings_files(self) -> tuple[Path, ...]:
        return tuple(map(self.get_settings_file, self.client.LAYOUT.files))


def find_install_paths(context: Context, project: Path, *, agent: str = "claude") -> InstallPaths:
    """Return the paths of the agent's client for the program that runs now."""
    environ = context.environ
    user_home = Path(environ.get("HOME") or environ.get("USERPROFILE") or Path.home())
    layout = AGENTS[agent].LAYOUT
    return InstallPaths(
        agent=agent,
        user=Path(environ.get(layout.folder_variable) or user_home / layout.folder),
        project=project,
        home=context.home,
        # Not resolved: a virtual environment is known by the path of its own interpreter.
        python=Path(sys.executable),
        package=Path(untildone.__file__).parent,
    )


class FileChange(Struct, frozen=True, kw_only=True):
    """One file to write; `after` is None where it is removed."""

    path: Path
    before: bytes | None
    after: bytes | None

    @property
    def kind(self) -> str:
        if self.before == self.after:
            return "unchanged"
        if self.before is None:
            return "made"
        return "removed" if self.after is None else "changed"


class InstallPlan(Struct, frozen=True, kw_only=True):
    changes: tuple[FileChange, ...]
    installed: manifest.InstalledFile
    notes: tuple[str, ...] = ()


def build_entries(paths: InstallPaths, scope: Scope) -> settings_editing.Entries:
    """Return our entries in the settings file of this scope; a team shares that of a project."""
    places = {"home": paths.home, "python": paths.python, "package": paths.package}
    if paths.agent == "claude":
        return build_project_entries() if scope == "project" else build_settings_entries(**places)
    if scope == "project":
        return build_plain_entries(paths.client, build_shared_program("project", paths.agent))
    program = build_settings_program(agent=paths.agent, **places)
    return build_plain_entries(paths.client, program)


def plan_init(paths: InstallPaths, scope: Scope) -> InstallPlan:
    """Return everything `init` would do; raise for unreadable settings before any write."""
    path = paths.get_settings_file(scope)
    before = _read_bytes(path)
    recorded = manifest.find(paths.home, path)
    merged = _merge_entries(paths, scope, before, recorded)
    after = merged.text.encode()
    original = manifest.restore_original(recorded, before, path=path)
    commands = build_command_files(paths.client)
    files = {paths.get_command_folder(scope) / name: text for name, text in commands.items()}
    changes = (
        FileChange(path=path, before=before, after=after),
        *(
            FileChange(path=file, before=_read_bytes(file), after=text.encode())
            for file, text in files.items()
        ),
    )
    missing = _list_missing_folders(change.path for change in changes)
    installed = manifest.InstalledFile(
        path=str(path),
        scope=scope,
        agent=paths.agent,
        original=original,
        original_sha256=manifest.hash_bytes(original),
        written_sha256=manifest.hash_bytes(after),
        entries=merged.entries,
        program=manifest.describe_program(
            interpreter=paths.python, package=paths.package, version=__version__
        ),
        folders=(*(recorded.folders if recorded else ()), *missing),
    )
    return InstallPlan(changes=changes, installed=installed, notes=merged.notes)


def _list_missing_folders(files: Iterable[Path]) -> tuple[str, ...]:
    """Return the folders that have to be made for these files, outer ones first."""
    folders = {folder for file in files for folder in file.parents if not folder.exists()}
    return tuple(map(str, sorted(folders)))


def _merge_entries(
    paths: InstallPaths,
    scope: Scope,
    before: bytes | None,
    recorded: manifest.InstalledFile | None,
) -> settings_editing.MergedSettings:
    ours, layout = build_entries(paths, scope), paths.client.LAYOUT
    if layout.shape == "module":
        return settings_editing.MergedSettings(
            text=plugin_module.build_module(paths.agent, ours), entries=ours
        )
    path = str(paths.get_settings_file(scope))
    return settings_editing.merge(
        settings_editing.decode(before or b"", path=path) or layout.new_file,
        ours,
        path=path,
        installed=recorded.entries if recorded else None,
        shape=layout.shape,
    )


def apply_plan(paths: InstallPaths, plan: InstallPlan) -> None:
    # The manifest first: `uninstall` can then remove whatever is written after it.
    manifest.write(paths.home, plan.installed)
    for change in plan.changes:
        _apply(change)


def uninstall(paths: InstallPaths, installed: manifest.InstalledFile) -> tuple[FileChange, ...]:
    """Remove our entries and files, and return the changes."""
    path = Path(installed.path)
    before = _read_bytes(path)
    after = manifest.restore_original(installed, before, path=path)
    base = _find_base(paths.client, installed)
    in_project = paths.client.LAYOUT.get_project_folder()
    folder = base if installed.scope == "user" else base / in_project
    files = [folder / name for name in build_command_files(paths.client)]
    changes = (
        FileChange(path=path, before=before, after=after),
        *(FileChange(path=file, before=_read_bytes(file), after=None) for file in files),
    )
    for change in changes:
        _apply(change)
    _remove_empty_folders(folder, tuple(files))
    if installed.original is None:
        _remove_empty_folders(base, (path,))
    for made in sorted(installed.folders, reverse=True):
        _remove_if_empty(Path(made))
    manifest.forget(paths.home, path)
    return changes


def _find_base(agent: Agent, installed: manifest.InstalledFile) -> Path:
    """Return the client's folder of the user, or the project, that `installed` lies in."""
    depth = len(Path(agent.LAYOUT.files[cast(Scope, installed.scope)]).parts)
    return Path(installed.path).parents[depth - 1]


def _remove_empty_folders(top: Path, files: tuple[Path, ...]) -> None:
    """Remove the folders that `init` may have made for these files, if they are empty now."""
    made = {parent for file in files for parent in file.parents if parent.is_relative_to(top)}
    has_made_top = any(file.parent == top for file in files)
    for folder in sorted(made, reverse=True):
        if folder != top or has_made_top:
            _remove_if_empty(folder)


def _remove_if_empty(folder: Path) -> None:
    if folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir()):
        folder.rmdir()


def _apply(change: FileChange) -> None:
    if change.kind == "unchanged":
        return
    if change.after is None:
        change.path.unlink(missing_ok=True)
        return
    change.path.parent.mkdir(parents=True, exist_ok=True)
    # Settings in a dotfiles folder are links: write their target, keep the link.
    target = change.path.resolve()
    mode = target.stat().st_mode if target.exists() else None
    try:
        write_atomically(target, change.after, keep_previous=False)
        if mode is not None:
            target.chmod(stat.S_IMODE(mode))
    except OSError as error:
        raise UserError(
            f"`{change.path}` cannot be written: {error.strerror}", hint="correct its permissions"
        ) from None


def _read_bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
