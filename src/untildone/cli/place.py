"""The program that runs, and where it would install itself."""

import sys
from pathlib import Path

import untildone
from untildone.engine.context import Context
from untildone.install.claude import InstallPaths


def place_of(context: Context, project: Path) -> InstallPaths:
    environ = context.environ
    person = Path(environ.get("HOME") or environ.get("USERPROFILE") or Path.home())
    return InstallPaths(
        user=Path(environ.get("CLAUDE_CONFIG_DIR") or person / ".claude"),
        project=project,
        home=context.home,
        # Not resolved: a virtual environment is known by the path of its own interpreter.
        python=Path(sys.executable),
        package=Path(untildone.__file__).parent,
    )
