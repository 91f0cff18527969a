"""Finds installed packages of Node that were changed in place since the baseline.

An installer replaces a package whole and records its work. A single changed file of a package, a
command in `.bin` that is no package's, and a package that nobody declared were made by hand.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.baseline import Stamp, read_stamps
from untildone.integrity.comparison import Comparison
from untildone.integrity.environment.check_programs import read_package_field

_FOLDER = "node_modules"
# node_modules/@scope/name/lib/index.js
_PACKAGE_FILE = re.compile(
    r"(?P<package>(?:.*/)?node_modules/(?:@[^/]+/)?(?!\.)[^/@]+)/(?P<inner>.+)", re.DOTALL
)
_BINARY = re.compile(r"(.*/)?node_modules/\.bin/[^/]+")
_LOADED = re.compile(r".*\.([cm]?[jt]s|json|node|wasm|[jt]sx)")
# What an installer records of its work; bun records nothing beside the packages.
_INSTALLER_RECORDS = ("package-lock.json", ".modules.yaml", ".yarn-integrity", ".yarn-state.yml")
_LOCKS_WITHOUT_RECORD = ("bun.lock", "bun.lockb")
_SHIM = re.compile(r"node_modules|\$basedir|%~?dp0")
_MAX_SHOWN = 20


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    """Yield concerns about files in `node_modules` that no installer put there."""
    return compare_packages(comparison.new.root, comparison.baseline.dependencies)


def compare_packages(project: Path, baseline: Mapping[str, Stamp]) -> Iterator[Concern]:
    """Compare sizes and times, and read only what changed."""
    known = {f"{path.partition(_FOLDER)[0]}{_FOLDER}" for path in baseline if _FOLDER in path}
    folders = sorted(folder for folder in {_FOLDER, *known} if (project / folder).is_dir())
    current = dict(read_stamps(project, folders))
    changed = [path for path, stamp in current.items() if baseline.get(path) != stamp]
    is_recorded = any(path.endswith(_INSTALLER_RECORDS) for path in changed)
    is_installed = is_recorded or any((project / lock).exists() for lock in _LOCKS_WITHOUT_RECORD)
    reinstalled = _find_reinstalled(baseline, current) if is_installed else frozenset[str]()
    kept = [path for path in changed if _find_package(path) not in reinstalled]
    found = (
        *_find_edited_files(kept, baseline, current),
        *_find_foreign_commands(project, changed),
        *(() if is_installed else _find_hand_made_packages(project, changed, baseline)),
    )
    for path, reason in found[:_MAX_SHOWN]:
        content = "-".join(map(str, current[path]))
        yield make_concern(ConcernKind.DEPENDENCY, path, reason=reason, content=content)


def _find_reinstalled(
    baseline: Mapping[str, Stamp], current: Mapping[str, Stamp]
) -> frozenset[str]:
    """Return the packages of which no file is as it was: an installer replaces them whole."""
    stayed = {_find_package(path) for path, stamp in baseline.items() if current.get(path) == stamp}
    return frozenset(map(_find_package, baseline)) - stayed


def _find_edited_files(
    changed: list[str], baseline: Mapping[str, Stamp], current: Mapping[str, Stamp]
) -> Iterator[tuple[str, str]]:
    for path in changed:
        if path not in baseline or not _LOADED.fullmatch(path) or not _find_package(path):
            continue
        if baseline[path][:2] != current[path][:2]:
            yield path, f"`{path}` was changed, and its package was not installed anew"


def _find_package(path: str) -> str:
    found = _PACKAGE_FILE.fullmatch(path)
    return found["package"] if found else ""


def _find_foreign_commands(project: Path, changed: list[str]) -> Iterator[tuple[str, str]]:
    for path in filter(_BINARY.fullmatch, changed):
        place = project / path
        is_linked = place.is_symlink() and _FOLDER in place.resolve().parts
        if not is_linked and (place.is_symlink() or not _SHIM.search(_read_beginning(place))):
            yield path, f"`{path}` is no command of an installed package"


def _read_beginning(place: Path) -> str:
    try:
        with place.open("rb") as file:
            return file.read(4_000).decode("utf-8", "replace")
    except OSError:
        return ""


def _find_hand_made_packages(
    project: Path, changed: list[str], baseline: Mapping[str, Stamp]
) -> Iterator[tuple[str, str]]:
    """Yield new packages that no installer has recorded and no `package.json` declares."""
    kinds = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
    declared = {name for kind in kinds for name in read_package_field(project, kind)}
    for path in changed:
        found = _PACKAGE_FILE.fullmatch(path)
        if found is None or found["inner"] != "package.json" or path in baseline:
            continue
        name = found["package"].rpartition(f"{_FOLDER}/")[2]
        if name not in declared:
            yield path, f"the package `{name}` was put there by hand"
