"""The program that runs, and where it would install itself."""

import sys
from pathlib import Path

import untildone
from untildone.install.claude import Place
from untildone.judge.context import Context


def place_of(found: Context, project: Path) -> Place:
    user = found.environ.get("HOME") or found.environ.get("USERPROFILE") or str(Path.home())
    return Place(
        user=Path(user),
        project=project,
        home=found.home,
        # Not resolved: a virtual environment is known by the path of its own interpreter.
        python=Path(sys.executable),
        package=Path(untildone.__file__).parent,
    )
