"""Hashes of files, read piece by piece: a large one needs no memory, and counts as many steps."""

import hashlib
from pathlib import Path

from untildone.worktree.limits import count_steps

_BLOCK = 1_000_000
# As many as the entries of a folder that take about as long as a block.
_STEPS_PER_BLOCK = 500


def hash_content(file: Path) -> bytes:
    """Return the SHA-256 of the file's content; empty if it cannot be read."""
    content = hashlib.sha256()
    try:
        with file.open("rb") as stream:
            while block := stream.read(_BLOCK):
                content.update(block)
                count_steps(_STEPS_PER_BLOCK)
    except OSError:
        return b""
    return content.digest()
