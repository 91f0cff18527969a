"""Finds and reads the loop files of other tools, such as `.claude/ralph-loop.local.md`.

The formats say what the content means; this module reads the files safely (only regular files,
only inside the project, only up to a size) and gives each content an identity.
"""

import os
from functools import partial
from itertools import chain
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from untildone.errors import UserError
from untildone.features.counts.selection import resolve_targets
from untildone.features.importers.followed_file import replace_count
from untildone.features.importers.formats import LOOP_FORMATS, find_loop_format
from untildone.features.importers.formats.loop_format import ImportedLoop, Source
from untildone.store.digest import sha256
from untildone.store.durable_files import DamagedFileError, read_bounded

_MAX_BYTES = 1_000_000


class LoopFile(Struct, frozen=True, kw_only=True):
    """A loop file that was read."""

    file: Path
    # The path as messages show it, relative to the project if possible.
    display_path: str
    loop: ImportedLoop
    # A hash of the content without its count of iterations: a later round of the same loop has the
    # same identity, so that one file does not start two loops.
    identity: str


def read_loop_file(project: Path, file: Path) -> LoopFile:
    """Return the loop that a file describes.

    Raises UserError if it is not a loop, FileNotFoundError if it does not exist.
    """
    display_path = _make_display_path(project, file)
    data = _read_file(file, display_path)
    read_other_file = partial(_read_project_file, project.resolve())
    source = Source(path=display_path, data=data, read_other_file=read_other_file)
    loop = _resolve_loop_targets(
        project, find_loop_format(file.absolute().as_posix()).read_loop(source)
    )
    digest = sha256(replace_count(data, loop.counter_key, 0))
    if loop.counter_file not in ("", display_path):
        digest.update(replace_count(read_other_file(loop.counter_file) or b"", loop.counter_key, 0))
    return LoopFile(file=file, display_path=display_path, loop=loop, identity=digest.hexdigest())


def _resolve_loop_targets(project: Path, loop: ImportedLoop) -> ImportedLoop:
    """Return the loop with the paths of its targets.

    If one of them does not exist, the loop gets no targets and findings count everywhere: with
    only the others a part of the work would not be checked.
    """
    try:
        return replace(loop, targets=resolve_targets(project, loop.targets))
    except UserError as error:
        note = f"{error.message}: findings count everywhere"
        return replace(loop, targets=(), defaults=(*loop.defaults, note))


def _make_display_path(project: Path, file: Path) -> str:
    """Return the path relative to the project, with or without links; else as it is."""
    for path in (file.absolute(), file.resolve()):
        if path.is_relative_to(project):
            return path.relative_to(project).as_posix()
    return str(file)


def _read_file(file: Path, display_path: str) -> bytes:
    """Return the content; raise UserError for what is not a readable file of a normal size."""
    try:
        return read_bounded(file, _MAX_BYTES)
    except DamagedFileError as damage:
        raise UserError(damage.reason, hint="name a regular file of your own") from None
    except FileNotFoundError:
        raise
    except OSError as error:
        reason = (error.strerror or "").lower()
        raise UserError(
            f"`{display_path}` cannot be read: {reason}", hint="name another file"
        ) from None


def _read_project_file(project: Path, path: str) -> bytes | None:
    """Return the content of another file; None outside the project, such as `../../.ssh/id`."""
    try:
        file = (project / path).resolve()
        return read_bounded(file, _MAX_BYTES) if file.is_relative_to(project) else None
    except (OSError, ValueError, DamagedFileError):
        return None


def list_loop_files(project: Path) -> list[Path]:
    """Return the existing files that their tools would read when the agent stops."""
    patterns = chain.from_iterable(loop_format.AT_STOPS for loop_format in LOOP_FORMATS.values())
    files = chain.from_iterable(
        sorted(project.glob(pattern)) if "*" in pattern else [project / pattern]
        for pattern in patterns
    )
    # Not `Path.is_file`, which raises if a folder is not accessible.
    return [file for file in files if os.path.isfile(file)]  # noqa: PTH113  as above
