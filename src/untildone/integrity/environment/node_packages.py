"""Finds files in `node_modules` that were made or changed by hand since the baseline.

An installer replaces all files of a package, so `node_modules/jest/index.js` was edited if other
files of `jest` are as before. A command in `.bin` that runs no package was made by hand, and so was
a package that nobody declared.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.environment.check_programs import read_package_field
from untildone.integrity.environment.dependency_digests import (
    DependencyDigests,
    digest_file,
    read_version,
)
from untildone.integrity.environment.node_files import LOADED_FILE, PACKAGE_FILE, find_package
from untildone.worktree.stamps import Stamp, read_stamps

_FOLDER = "node_modules"
_COMMAND_FILE = compile_late(r"(.*/)?node_modules/\.bin/[^/]+")
# What an installer records of its work; bun records nothing beside the packages.
_INSTALLER_RECORDS = ("package-lock.json", ".modules.yaml", ".yarn-integrity", ".yarn-state.yml")
_LOCKS_WITHOUT_RECORD = ("bun.lock", "bun.lockb")
# Text of the scripts that npm writes into `.bin` where it cannot link.
_SHIM = compile_late(r"node_modules|\$basedir|%~?dp0")
_MAX_SHOWN = 20


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    """Yield concerns about files in `node_modules` that no installer put there.

    Only files whose stamp differs from that of the baseline are read.
    """
    project, baseline = comparison.new.root, comparison.baseline.dependencies
    old_folders = {f"{path.partition(_FOLDER)[0]}{_FOLDER}" for path in baseline if _FOLDER in path}
    folders = sorted(folder for folder in {_FOLDER, *old_folders} if (project / folder).is_dir())
    current = dict(read_stamps(project, folders))
    digests = comparison.dependency_digests
    touched = [path for path, stamp in current.items() if baseline.get(path) != stamp]
    changed = [path for path in touched if not _has_same_content(project, path, digests)]
    is_recorded = any(path.endswith(_INSTALLER_RECORDS) for path in changed)
    may_be_installed = is_recorded or any(
        (project / lock).exists() for lock in _LOCKS_WITHOUT_RECORD
    )
    reinstalled = _find_reinstalled(baseline, current) if may_be_installed else frozenset[str]()
    not_reinstalled = [path for path in changed if find_package(path) not in reinstalled]
    suspicious = (
        *_find_edited_files(not_reinstalled, baseline, current),
        *_find_altered_packages(project, changed, digests),
        *_find_foreign_commands(project, changed),
        # An installer also adds packages that others depend on.
        *(() if may_be_installed else _find_hand_made_packages(project, changed, baseline)),
    )
    for path, reason in list(dict(suspicious).items())[:_MAX_SHOWN]:
        content = "-".join(map(str, current[path]))
        yield make_concern(ConcernKind.DEPENDENCY, path, reason=reason, content=content)


def _find_reinstalled(
    baseline: Mapping[str, Stamp], current: Mapping[str, Stamp]
) -> frozenset[str]:
    """Return the packages of which no file is as it was: an installer replaces all files."""
    unchanged = (path for path, stamp in baseline.items() if current.get(path) == stamp)
    return frozenset(map(find_package, baseline)).difference(map(find_package, unchanged))


def _find_edited_files(
    changed: list[str], baseline: Mapping[str, Stamp], current: Mapping[str, Stamp]
) -> Iterator[tuple[str, str]]:
    """Yield changed files of packages, each with the reason for a concern."""
    for path in (path for path in changed if LOADED_FILE.fullmatch(path) and find_package(path)):
        # Size and modification time: a new hard link to the file alters the change time too.
        if path in baseline and baseline[path][:2] != current[path][:2]:
            yield path, f"`{path}` was changed, and its package was not installed anew"


def _has_same_content(project: Path, path: str, digests: DependencyDigests) -> bool:
    """Say whether a file that was touched has the content that it had in the baseline."""
    return path in digests.files and digest_file(project / path) == digests.files[path]


def _find_altered_packages(
    project: Path, changed: list[str], digests: DependencyDigests
) -> Iterator[tuple[str, str]]:
    """Yield files with another content in packages that have the same version as before."""
    for path in changed:
        package = find_package(path)
        if path not in digests.files or package not in digests.versions:
            continue
        if read_version(project / package / "package.json") == digests.versions[package]:
            yield path, f"`{path}` was changed, and its package has the same version as before"


def _find_foreign_commands(project: Path, changed: list[str]) -> Iterator[tuple[str, str]]:
    """Yield changed commands in `.bin` that run no package, each with the reason for a concern."""
    for path in filter(_COMMAND_FILE.fullmatch, changed):
        file = project / path
        if file.is_symlink():
            runs_package = _FOLDER in file.resolve().parts
        else:
            runs_package = _SHIM.search(_read_beginning(file)) is not None
        if not runs_package:
            yield path, f"`{path}` is no command of an installed package"


def _read_beginning(file: Path) -> str:
    """Return the first characters of the file; empty if it cannot be read."""
    try:
        with file.open("rb") as stream:
            return stream.read(4_000).decode("utf-8", "replace")
    except OSError:
        return ""


def _find_hand_made_packages(
    project: Path, changed: list[str], baseline: Mapping[str, Stamp]
) -> Iterator[tuple[str, str]]:
    """Yield new packages that the project does not declare, as the path of their `package.json`.

    Each comes with the reason for a concern.
    """
    kinds = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
    declared = {name for kind in kinds for name in read_package_field(project, kind)}
    for path in changed:
        match = PACKAGE_FILE.fullmatch(path)
        if match is None or match["inner"] != "package.json" or path in baseline:
            continue
        name = match["package"].rpartition(f"{_FOLDER}/")[2]
        if name not in declared:
            yield path, f"the package `{name}` was put there by hand"
