"""Packages below the top of a project: folders with a manifest of their own."""

from pathlib import Path

from untildone.worktree.listing import find_files_named

MANIFESTS = (
    *("package.json", "deno.json", "pyproject.toml", "setup.py", "setup.cfg", "Cargo.toml"),
    *("go.mod", "pom.xml", "build.gradle", "build.gradle.kts", "CMakeLists.txt"),
)
_DEEPEST = 3
_MOST = 50


def is_package(project: Path, folder: Path, names: list[str]) -> bool:
    """Say whether the folder below a project without a manifest has one; `names` are its files."""
    is_below = 0 < len(folder.parts) <= _DEEPEST and any(name in MANIFESTS for name in names)
    return is_below and not _has_manifest(project)


def find_packages(project: Path) -> tuple[str, ...]:
    """Return the folders with a manifest, by path; none of those inside another package.

    A manifest at the top makes the whole project one package.
    """
    if _has_manifest(project):
        return ()
    files = find_files_named(project, *MANIFESTS)
    folders = {file.parent for file in files if 0 < len(file.parent.parts) <= _DEEPEST}
    outer = (folder for folder in folders if folders.isdisjoint(folder.parents))
    return tuple(sorted(folder.as_posix() for folder in outer))[:_MOST]


def _has_manifest(folder: Path) -> bool:
    return any((folder / name).is_file() for name in MANIFESTS)
