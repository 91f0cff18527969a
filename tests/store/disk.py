"""A disk of its own for a test, where this user may mount one."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def mount(point: Path, *, options: str) -> Iterator[None]:
    argv = ["mount", "-t", "tmpfs", "-o", options, "untildone-test", str(point)]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("NOT TESTED, no `mount` here: a full or read-only disk")
    if done.returncode:
        pytest.skip(f"NOT TESTED, needs root: a full or read-only disk ({done.stderr.strip()})")
    try:
        yield
    finally:
        subprocess.run(["umount", str(point)], check=True)
