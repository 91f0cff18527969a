"""Runs the comparison of hostile sources in a process of its own and measures it."""

import json
import os
import subprocess
import sys
from pathlib import Path

from integrity import hostile_reading
from integrity.hostile_sources import make_sources
from integrity.trees import write_tree


def measure(
    top: Path, language: str, shape: str, *, size: int, seed: int = 0
) -> tuple[float, float]:
    """Return the seconds of processor time and the megabytes that the comparison took."""
    for name, files in zip(("old", "new"), make_sources(language, shape, size, seed), strict=True):
        write_tree(top / name, files)
    command = [sys.executable, str(hostile_reading.__file__), str(top)]
    # Without the tracer of coverage, which costs more than what is measured.
    env = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    ran = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=900)
    seconds, megabytes, _ = json.loads(ran.stdout)
    return seconds, megabytes
