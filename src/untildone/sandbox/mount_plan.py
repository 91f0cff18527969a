"""Plans the mounts of a sandbox; `namespaces.py` carries them out.

Folders with a wall around them are replaced by empty ones. What the checks need of them is then
mounted inside: toolchains and caches as overlays, whose changes are discarded.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct

from untildone.core.sandbox_trial import Wall
from untildone.sandbox.home_folder import find_user_home, list_lent_entries, list_tool_folders
from untildone.sandbox.lent_folders import LentFolder, find_lent_folders
from untildone.sandbox.sandbox_source import SandboxSource

MountKind: TypeAlias = Literal["bind", "overlay", "read-only"]
_TEMPORARY_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108  they are replaced, not used
_RUNTIME_FOLDER = "/run/user"


class Mount(Struct, frozen=True):
    """A folder or file that is shown at `target`; what is written to an overlay is discarded."""

    source: str
    target: str
    kind: MountKind = "overlay"


class MountPlan(Struct, frozen=True, kw_only=True):
    """What `namespaces.py` does, as JSON; `mark` is a file that only the copy has."""

    walls: tuple[Wall, ...]
    # A folder for what overlays keep.
    scratch: str
    mounts: tuple[Mount, ...]
    # Files and folders that are removed from the overlays.
    hidden: tuple[str, ...]
    mark: str


class Layout(Struct, frozen=True):
    """The folders of one sandbox below `top`."""

    top: Path

    @property
    def copy(self) -> Path:
        return self.top / "tree"

    @property
    def scratch(self) -> Path:
        return self.top / "scratch"

    @property
    def exchange(self) -> Path:
        return self.top / "exchange"

    def make_empty_folder(self, name: str) -> Path:
        folder = self.top / "empty" / name.strip("/").replace("/", "-")
        folder.mkdir(parents=True)
        # As in the real one, every user may write to a folder for temporary files.
        folder.chmod(0o1777)
        return folder


def plan_mounts(source: SandboxSource, layout: Layout, *, mark: str) -> MountPlan:
    """Return the plan for a sandbox whose copy of the project is in the layout's folder."""
    project = os.path.realpath(source.project)
    home = Path(os.path.realpath(find_user_home(source.environ)))
    lent = tuple(find_lent_folders(source))
    walled = tuple(_list_walled_folders(source, home))
    surroundings = (
        *(Mount(str(layout.make_empty_folder(folder)), folder, "bind") for folder in walled),
        *_plan_home(source, home),
        *_plan_lent_paths(source, walled),
        *_plan_hidden_files(source),
    )
    mounts = [
        # A script of the project that a check starts is a program too: the copy has it.
        *(mount for mount in surroundings if not mount.target.startswith(f"{project}/")),
        Mount(str(layout.exchange), str(layout.exchange), "bind"),
        Mount(str(layout.copy), project, "bind"),
        *(Mount(str(folder.source), f"{project}/{folder.path}") for folder in lent),
    ]
    return MountPlan(
        walls=source.walls,
        scratch=str(layout.scratch),
        mounts=tuple(_order_mounts(mounts)),
        hidden=(*map(str, source.hidden_files), *_list_hidden(project, lent)),
        mark=f"{project}/{mark}",
    )


def _list_walled_folders(source: SandboxSource, home: Path) -> Iterator[str]:
    """Yield the folders that are replaced by empty ones."""
    if "tmp" in source.walls:
        runtime = f"{_RUNTIME_FOLDER}/{os.getuid()}"
        yield from filter(os.path.isdir, (*_TEMPORARY_FOLDERS, runtime))
    if "home" in source.walls:
        yield str(home)
    yield from (os.path.realpath(folder) for folder in source.hidden_folders if folder.is_dir())


def _plan_home(source: SandboxSource, home: Path) -> Iterator[Mount]:
    """Yield what is lent of the home folder; without its wall that is all of it, as an overlay."""
    if "home" not in source.walls:
        yield Mount(str(home), str(home))
        return
    for name in list_lent_entries(home, since=source.since):
        kind: MountKind = "overlay" if (home / name).is_dir() else "read-only"
        yield Mount(str(home / name), str(home / name), kind)


def _plan_lent_paths(source: SandboxSource, walled: tuple[str, ...]) -> Iterator[Mount]:
    """Yield toolchains and other lent paths that a wall would hide."""
    lent = (*list_tool_folders(source.environ), *source.lent_paths)
    for text in dict.fromkeys(map(str, lent)):
        for path in dict.fromkeys((text, os.path.realpath(text))):
            if any(path.startswith(f"{outer}/") for outer in walled):
                yield Mount(path, path)


def _plan_hidden_files(source: SandboxSource) -> Iterator[Mount]:
    """Yield overlays for the folders of hidden files: only there can they be removed."""
    folders = dict.fromkeys(str(path.parent) for path in source.hidden_files)
    return (Mount(folder, folder) for folder in folders)


def _list_hidden(project: str, lent: Iterable[LentFolder]) -> Iterator[str]:
    return (f"{project}/{path}" for folder in lent for path in folder.hidden)


def _order_mounts(mounts: list[Mount]) -> Iterator[Mount]:
    """Yield each target once, outer folders before those inside of them."""
    by_target: dict[str, Mount] = {}
    for mount in mounts:
        # An empty folder in the place of another one is never replaced by that again.
        if mount.target not in by_target or by_target[mount.target].kind != "bind":
            by_target[mount.target] = mount
    yield from sorted(by_target.values(), key=lambda mount: mount.target.count("/"))
