"""The last generation of each unfinished loop, recorded outside the loop's own folder.

It reveals when the loop's folder was removed or set back to older files.
"""

from contextlib import suppress
from pathlib import Path

from untildone.store.durable_files import DamagedFileError, read_bounded, warn_if_unwritable


def record_head(home: Path, loop_id: str, generation: int) -> tuple[str, ...]:
    """Record the generation, never a lower one, and return warnings. Needs the loop's lock."""
    path = _get_path(home, loop_id)
    # Not synced: if a crash loses it, at worst a rollback goes unnoticed.
    draft = path.with_name(f".{loop_id}")

    def write() -> None:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        draft.write_text(str(max(generation, read_head(home, loop_id))), encoding="ascii")
        draft.replace(path)

    return warn_if_unwritable(path, write)


def read_head(home: Path, loop_id: str) -> int:
    """Return the recorded generation; 0 if there is none."""
    try:
        text = read_bounded(_get_path(home, loop_id), 100).decode("ascii")
    except (OSError, DamagedFileError, UnicodeDecodeError):
        return 0
    return int(text) if text.isdecimal() else 0


def remove_head(home: Path, loop_id: str) -> None:
    with suppress(OSError):
        _get_path(home, loop_id).unlink()


def list_heads(home: Path) -> set[str]:
    """Return the ids of the loops that were unfinished when they were last saved."""
    try:
        return {path.name for path in (home / "heads").iterdir() if path.name[0] != "."}
    except OSError:
        return set()


def _get_path(home: Path, loop_id: str) -> Path:
    return home / "heads" / loop_id
