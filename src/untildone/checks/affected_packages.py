"""Which checks of a repository with several packages a change may break.

A package is a folder with a manifest in which checks run. It uses another package if one of its
manifests names that, if one of its files has a path that climbs to it, as `../../core/src`, or if
one lies in the other.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from pathlib import Path, PurePosixPath

from untildone.checks.detection.packages import MANIFESTS
from untildone.core.contract import Check
from untildone.core.late_patterns import compile_late
from untildone.worktree.listing import list_files

# Settings beside a manifest that may name a package, such as the paths of a TypeScript project.
_SETTINGS = compile_late(r"requirements.*\.txt|.*\.(?:lock|json|toml|ya?ml|cfg|gradle(?:\.kts)?)")
# "name": "@shop/core"; name = "core"; module example.org/core; <artifactId>core</artifactId>
_NAME = compile_late(
    r"""^\s*"?name"?\s*[=:]\s*["']([^"']+)["']|^module\s+(\S+)|<artifactId>([^<]+)<""",
    re.MULTILINE,
)
_LARGEST = 1_000_000


def select_affected(
    checks: Sequence[Check], project: Path, changed: Collection[str]
) -> tuple[Check, ...]:
    """Return the checks that the changed files may break: all where that cannot be told.

    A file outside of every package may break anything, and no change at all tells nothing.
    """
    packages = _find_packages(checks, project)
    homes = {_find_home(path, packages) for path in changed}
    if not changed or "" in homes:
        return tuple(checks)
    affected = _add_users(homes, packages, _make_reader(project))
    selected = tuple(
        check for check in checks if check.cwd not in packages or check.cwd in affected
    )
    return selected or tuple(checks)


def find_unused_packages(checks: Sequence[Check], project: Path) -> dict[str, tuple[str, ...]]:
    """Return for each package with checks the others that it does not use, also through others."""
    packages = _find_packages(checks, project)
    if len(packages) < 2:
        return {}
    read = _make_reader(project)
    return {
        package: tuple(
            sorted(
                other for other in packages if package not in _add_users({other}, packages, read)
            )
        )
        for package in packages
    }


def _find_packages(checks: Sequence[Check], project: Path) -> set[str]:
    folders = {check.cwd for check in checks if check.cwd}
    return {folder for folder in folders if _is_package(project, folder)}


def _is_package(project: Path, folder: str) -> bool:
    """Say whether the folder has a manifest; one behind a link may be anything."""
    path = project / folder
    is_linked = path.resolve() != project.resolve() / folder
    return not is_linked and any((path / name).is_file() for name in MANIFESTS)


def _find_home(path: str, packages: Collection[str]) -> str:
    """Return the innermost package that holds the file; empty if none does."""
    parents = (parent.as_posix() for parent in PurePosixPath(path).parents)
    return next((parent for parent in parents if parent in packages), "")


def _add_users(
    changed: set[str], packages: Collection[str], read: Callable[[str], tuple[str, str]]
) -> set[str]:
    """Return the changed packages with all that use one of them, also through others."""
    affected = set(changed)
    while users := {
        package
        for package in packages
        if package not in affected and any(_uses(package, other, read) for other in affected)
    }:
        affected |= users
    return affected


def _uses(package: str, other: str, read: Callable[[str], tuple[str, str]]) -> bool:
    if other.startswith(f"{package}/") or package.startswith(f"{other}/"):
        return True
    settings, files = read(package)
    folder = PurePosixPath(other).name
    declared = {name for found in _NAME.findall(read(other)[0]) for name in found if name}
    named = "|".join(re.escape(name) for name in {folder, *declared})
    if re.search(rf"(?<![\w-])(?:{named})(?![\w-])", settings):
        return True
    return bool(re.search(rf"\.\./(?:[\w.@-]+/)*{re.escape(folder)}\b", files))


def _make_reader(project: Path) -> Callable[[str], tuple[str, str]]:
    """Return a function from a package to the texts of its settings and of all its files."""
    paths = [path.as_posix() for path in list_files(project)]

    @cache
    def read(package: str) -> tuple[str, str]:
        own = [path for path in paths if path.startswith(f"{package}/")]
        settings = [path for path in own if _is_settings(PurePosixPath(path).name)]
        return "\n".join(_read(project, settings)), "\n".join(_read(project, own))

    return read


def _is_settings(name: str) -> bool:
    return name in MANIFESTS or bool(_SETTINGS.fullmatch(name))


def _read(project: Path, paths: Sequence[str]) -> Iterator[str]:
    for path in paths:
        file = project / path
        if file.is_file() and file.stat().st_size <= _LARGEST:
            yield file.read_text(encoding="utf-8", errors="replace")
