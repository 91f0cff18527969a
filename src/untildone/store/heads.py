"""The last generation of each unfinished loop, remembered apart from the loop's own folder.

Whoever puts older files back in a loop's folder, or takes the folder away, leaves this behind.
"""

from contextlib import suppress
from pathlib import Path

from untildone.store.files import DamagedFileError, quote_path, read_bounded


def record_head(home: Path, loop_id: str, generation: int) -> tuple[str, ...]:
    """Never less than before; under the loop's lock. What went wrong, if anything."""
    path = _path(home, loop_id)
    # Not synced: losing it forgives a rollback, keeping it never accuses anybody.
    draft = path.with_name(f".{loop_id}")
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        draft.write_text(str(max(generation, read_head(home, loop_id))), encoding="ascii")
        draft.replace(path)
    except OSError as error:
        return (f"{quote_path(path)} cannot be written: {error.strerror}",)
    return ()


def read_head(home: Path, loop_id: str) -> int:
    """0 where nothing is known."""
    try:
        text = read_bounded(_path(home, loop_id), 100).decode("ascii")
    except (OSError, DamagedFileError, UnicodeDecodeError):
        return 0
    return int(text) if text.isdecimal() else 0


def remove_head(home: Path, loop_id: str) -> None:
    with suppress(OSError):
        _path(home, loop_id).unlink()


def list_heads(home: Path) -> set[str]:
    """The loops that were not finished when they were last saved."""
    try:
        return {path.name for path in (home / "heads").iterdir() if path.name[0] != "."}
    except OSError:
        return set()


def _path(home: Path, loop_id: str) -> Path:
    return home / "heads" / loop_id
