"""A Python environment with untildone but without the extra `security`."""

import os
import venv
from pathlib import Path

import msgspec

import untildone

PATH = os.pathsep.join(("/usr/bin", "/bin"))


def bare_python(folder: Path) -> Path:
    """Its interpreter: the packages of this one are seen, its programs are not."""
    windows = os.name == "nt"
    venv.create(folder, symlinks=not windows)
    packages = next(folder.rglob("site-packages"))
    needed = {Path(module.__file__ or "").parents[1] for module in (msgspec, untildone)}
    packages.joinpath("here.pth").write_text("\n".join(map(str, needed)), encoding="utf-8")
    return folder / ("Scripts/python.exe" if windows else "bin/python")
