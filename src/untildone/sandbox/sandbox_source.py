"""What a sandbox is made from, and what it consists of."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from untildone.core.sandbox_trial import ALL_WALLS, Wall
from untildone.worktree.stamps import Stamp


class SandboxFiles(Struct, frozen=True):
    """The files of a sandbox, each by the path it is copied from or as text written for it.

    `restored` are the paths whose content is not the project's current one.
    """

    files: dict[str, Path | str]
    restored: tuple[str, ...]


class SandboxSource(Struct, frozen=True, kw_only=True):
    """The project, and how it and its surroundings were in the baseline."""

    project: Path
    environ: Mapping[str, str]
    baseline_environ: Mapping[str, str]
    # The time of the baseline.
    since: float
    # Folders that git ignores or tools generate, the stamps of their files in the baseline, and a
    # folder with copies of the small ones.
    ignored: tuple[str, ...] = ()
    stamps: Mapping[str, Stamp] = {}
    saved_folders: Path | None = None
    walls: tuple[Wall, ...] = ALL_WALLS
    # Whether such a sandbox could be made on the baseline: if it cannot now, that is a fault.
    was_possible: bool = False
    # Files and folders that are shown inside although a wall would hide them.
    lent_paths: tuple[Path, ...] = ()
    # Folders that nothing inside may read, such as our state, and files that were not there.
    hidden_folders: tuple[Path, ...] = ()
    hidden_files: tuple[Path, ...] = ()


class Sandbox(Struct, frozen=True, kw_only=True):
    """A copy: checks run in `project` through `wrapper_argv` and write to `written_project`.

    Reports of the checks are exchanged through files in `exchange_folder`. `walls` are those that
    stand; `unproved` says why it is unknown which tree the checks read.
    """

    project: Path
    written_project: Path
    environ: dict[str, str]
    exchange_folder: Path
    wrapper_argv: tuple[str, ...] = ()
    walls: tuple[Wall, ...] = ()
    unproved: str = ""
    # Why there is no sandbox although there was one on the baseline.
    fault: str = ""
