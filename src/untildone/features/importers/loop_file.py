"""A loop file of another tool: where it may be, and what it says."""

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

_LARGEST = 1_000_000


class LoopFile(Struct, frozen=True, kw_only=True):
    """A loop file that was read; `identity` does not depend on its count of iterations."""

    file: Path
    shown: str
    loop: ImportedLoop
    identity: str


def read_loop_file(project: Path, file: Path) -> LoopFile:
    """Raises UserError if it is not a loop, FileNotFoundError if it does not exist."""
    shown = _display_path(project, file)
    data = _read_file(file, shown)
    beside = partial(_read_project_file, project.resolve())
    source = Source(path=shown, data=data, beside=beside)
    loop = _resolve_targets(project, find_loop_format(file.absolute().as_posix()).read(source))
    digest = sha256(replace_count(data, loop.counter, 0))
    if loop.counted_in not in ("", shown):
        digest.update(replace_count(beside(loop.counted_in) or b"", loop.counter, 0))
    return LoopFile(file=file, shown=shown, loop=loop, identity=digest.hexdigest())


def _resolve_targets(project: Path, loop: ImportedLoop) -> ImportedLoop:
    """If one target is missing, findings count everywhere: the others may not be all."""
    try:
        return replace(loop, targets=resolve_targets(project, loop.targets))
    except UserError as error:
        note = f"{error.message}: findings count everywhere"
        return replace(loop, targets=(), defaults=(*loop.defaults, note))


def _display_path(project: Path, file: Path) -> str:
    for path in (file.absolute(), file.resolve()):
        if path.is_relative_to(project):
            return path.relative_to(project).as_posix()
    return str(file)


def _read_file(file: Path, shown: str) -> bytes:
    try:
        return read_bounded(file, _LARGEST)
    except DamagedFileError as damage:
        raise UserError(damage.reason, hint="name a regular file of your own") from None
    except FileNotFoundError:
        raise
    except OSError as error:
        reason = (error.strerror or "").lower()
        raise UserError(f"`{shown}` cannot be read: {reason}", hint="name another file") from None


def _read_project_file(project: Path, path: str) -> bytes | None:
    """None unless it is a file of the project, whatever path the loop file names."""
    try:
        file = (project / path).resolve()
        return read_bounded(file, _LARGEST) if file.is_relative_to(project) else None
    except (OSError, ValueError, DamagedFileError):
        return None


def list_loop_files(project: Path) -> list[Path]:
    """The loop files that their tools would read at a stop."""
    patterns = chain.from_iterable(loop_format.AT_STOPS for loop_format in LOOP_FORMATS.values())
    files = chain.from_iterable(
        sorted(project.glob(pattern)) if "*" in pattern else [project / pattern]
        for pattern in patterns
    )
    # Not `Path.is_file`, which raises if a folder is not accessible.
    return [file for file in files if os.path.isfile(file)]  # noqa: PTH113  as above
