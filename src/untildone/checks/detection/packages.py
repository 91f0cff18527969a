"""Packages below the top of a project: folders with a manifest of their own."""

from pathlib import Path

from untildone.worktree.listing import find_files_named

MANIFESTS = (
    *("package.json", "deno.json", "pyproject.toml", "setup.py", "setup.cfg", "Cargo.toml"),
    *("go.mod", "pom.xml", "build.gradle", "build.gradle.kts", "CMakeLists.txt"),
)
_DEEPEST = 3
_MOST = 50


def find_packages(project: Path) -> tuple[str, ...]:
    """Return the folders with a manifest, by path; none of those inside another package.

    A manifest at the top makes the whole project one package.
    """
    if any((project / name).is_file() for name in MANIFESTS):
        return ()
    files = (file for name in MANIFESTS for file in find_files_named(project, name))
    folders = {file.parent for file in files if 0 < len(file.parent.parts) <= _DEEPEST}
    outer = (folder for folder in folders if folders.isdisjoint(folder.parents))
    return tuple(sorted(folder.as_posix() for folder in outer))[:_MOST]
