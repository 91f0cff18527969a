"""The programs that the cases' checks need."""

import os
import sys
from pathlib import Path

from msgspec import Struct

# What the system itself brings: git, make, node, a shell.
SYSTEM = ("/usr/local/bin", "/usr/bin", "/bin")


class Toolbox(Struct, frozen=True, kw_only=True):
    """`modules`: what a JavaScript project finds without installing anything."""

    folder: Path
    programs: tuple[Path, ...]
    modules: Path


def open_toolbox(folder: Path) -> Toolbox:
    """A folder with `venv/`, `node/` and a cache for go, made by somebody else."""
    modules = folder / "node" / "node_modules"
    programs = (folder / "venv" / "bin", modules / ".bin", _cargo())
    return Toolbox(folder=folder, programs=programs, modules=modules)


def install_toolbox() -> Toolbox:
    """What the tests install too, once a machine."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
    # Only where it is needed: it is part of the tests.
    from tools import TOOLS, cache, install

    wanted = ("pytest", "mypy", "go", "vitest", "tsc")
    programs = [install(TOOLS[name]).parent for name in wanted]
    ruff = Path(sys.executable).parent
    modules = TOOLS["vitest"].folder / "node_modules"
    return Toolbox(folder=cache(), programs=(*programs, _cargo(), ruff), modules=modules)


def _cargo() -> Path:
    return Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo")) / "bin"
