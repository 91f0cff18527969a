"""Copies of the repository to switch features off in, each with a Python of its own."""

import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from bench.coming_from.table import Row

_LEFT_OUT = (
    ".*cache*",
    ".git",
    ".venv",
    ".hypothesis",
    ".coverage*",
    "__pycache__",
    "node_modules",
)
_PROGRAM = """\
#!{python}
import sys
from untildone.cli.main import main

sys.exit(main(sys.argv[1:]))
"""


class Copy:
    """Ours stands before what is installed, also for an isolated interpreter (`python -I`)."""

    def __init__(self, source: Path, place: Path) -> None:
        self.top = place
        shutil.copytree(source, place, ignore=shutil.ignore_patterns(*_LEFT_OUT))
        self._python = _environment(place)

    def tested(self, tests: list[str], *options: str) -> tuple[int, str]:
        """pytest's exit code, and what it printed."""
        options = ("-q", "--tb=short", "-p", "no:cacheprovider", *options)
        done = subprocess.run(
            [self._python, "-m", "pytest", *options, *tests],
            cwd=self.top,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def without(self, row: Row) -> tuple[int, str]:
        """As `tested`, for the row's test while its feature is switched off."""
        file = row.path(self.top)
        kept = file.read_bytes()
        file.write_text(row.switched_off(self.top), encoding="utf-8", newline="")
        try:
            return self.tested([row.test], "-x", "-p", "no:xdist")
        finally:
            file.write_bytes(kept)


def _environment(top: Path) -> Path:
    folder = top / ".venv"
    venv.create(folder, symlinks=True)
    programs = folder / "bin"
    python = programs / "python"
    (packages,) = folder.glob("lib/python*/site-packages")
    installed = sysconfig.get_path("purelib")
    packages.joinpath("copy.pth").write_text(f"{top / 'src'}\n{installed}\n", encoding="utf-8")
    for program in Path(sys.executable).parent.iterdir():
        if not (programs / program.name).exists():
            (programs / program.name).symlink_to(program)
    ours = programs / "untildone"
    ours.unlink(missing_ok=True)
    ours.write_text(_PROGRAM.format(python=python), encoding="utf-8")
    ours.chmod(0o755)
    return python
