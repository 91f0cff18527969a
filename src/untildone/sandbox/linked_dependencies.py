"""Dependencies of a copy beside the project, linked so that imports lead into the copy."""

import os
import shutil
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

# Larger folders are linked instead of copied.
_MOST_COPIED = 20_000
_FINDER = "__editable__"


def link_dependencies(
    project: Path, copy: Path, folders: Iterable[str]
) -> tuple[dict[str, str], str]:
    """Return variables that lead imports into the copy, and why that cannot be proved."""
    roots: list[str] = []
    environ: dict[str, str] = {}
    unproved = ""
    for folder in folders:
        source, target = project / folder, copy / folder
        if os.path.isabs(folder) or source.name == "target":  # noqa: PTH117  a text, not yet a path
            environ["CARGO_TARGET_DIR"] = str(copy.parent / "target")
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.name == "node_modules":
            _link_packages(source, target, project=project, copy=copy)
        elif (source / "pyvenv.cfg").exists():
            target.symlink_to(source, target_is_directory=True)
            roots += _find_editable_roots(source, project=project, copy=copy)
            unproved = unproved or _find_import_hook(source, project)
        else:
            _copy_or_link(source, target)
    if roots:
        environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(roots))
    return environ, unproved


def _link_packages(source: Path, folder: Path, *, project: Path, copy: Path) -> None:
    """Link each package separately: packages of the workspace lead into the copy."""
    folder.mkdir(exist_ok=True)
    for entry in source.iterdir():
        is_scope = entry.name.startswith("@") and entry.is_dir() and not entry.is_symlink()
        if is_scope:
            _link_packages(entry, folder / entry.name, project=project, copy=copy)
            continue
        real_path = Path(os.path.realpath(entry))
        in_workspace = real_path.is_relative_to(project) and "node_modules" not in real_path.parts
        target = copy / real_path.relative_to(project) if in_workspace else entry
        (folder / entry.name).symlink_to(target, target_is_directory=target.is_dir())


def _find_site_packages(environment: Path) -> Iterator[Path]:
    yield from environment.glob("lib/python*/site-packages")
    yield from environment.glob("Lib/site-packages")


def _find_editable_roots(environment: Path, *, project: Path, copy: Path) -> Iterator[str]:
    """Yield the copy's folders for editable installs; `PYTHONPATH` precedes `.pth` files."""
    for file in (
        file for folder in _find_site_packages(environment) for file in folder.glob("*.pth")
    ):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            path = Path(line.strip() or os.sep)
            if path.is_absolute() and path.is_relative_to(project):
                yield str(copy / path.relative_to(project))


def _find_import_hook(environment: Path, project: Path) -> str:
    """Return why imports may lead anywhere: an editable install's hook that names the project."""
    for folder in _find_site_packages(environment):
        for file in folder.glob(f"{_FINDER}*.py"):
            if str(project) in file.read_text(encoding="utf-8", errors="replace"):
                return f"`{file.name}` leads imports into the project itself"
    return ""


def _copy_or_link(source: Path, target: Path) -> None:
    files = (name for _, _, names in os.walk(source) for name in names)
    if len(list(islice(files, _MOST_COPIED))) < _MOST_COPIED:
        shutil.copytree(source, target, symlinks=True, copy_function=shutil.copy2)
    else:
        target.symlink_to(source, target_is_directory=True)
