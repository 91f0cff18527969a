"""`python -m untildone.runs.tasks.merge_markers FILE…`: exits 1 if a merge marker is left."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

_MARKER = re.compile(rb"(?m)^(?:<{7}|>{7}) ")


def main(paths: Sequence[str]) -> int:
    """Return 1 if a file has merge markers; a file that one side deleted may be gone."""
    for path in map(Path, paths):
        if path.is_file() and _MARKER.search(path.read_bytes()):
            sys.stdout.write(f"{path}: has conflict markers\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
