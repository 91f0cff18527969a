"""Installed packages of Node that were changed in place since the start."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.baseline import Stamp, read_stamps
from untildone.integrity.environment.check_programs import read_package_field

_FOLDER = "node_modules"
# node_modules/@scope/name/lib/index.js
_INSIDE = re.compile(
    r"(?P<package>(?:.*/)?node_modules/(?:@[^/]+/)?(?!\.)[^/@]+)/(?P<inner>.+)", re.DOTALL
)
_BINARY = re.compile(r"(.*/)?node_modules/\.bin/(?P<name>[^/]+)")
_RUN = re.compile(r".*\.([cm]?[jt]s|json|node|wasm|[jt]sx)")
# What an installer leaves behind about its own work; this one leaves nothing beside the packages.
_MARKS = ("package-lock.json", ".modules.yaml", ".yarn-integrity", ".yarn-state.yml")
_UNMARKED = ("bun.lock", "bun.lockb")
_SHIM = re.compile(r"node_modules|\$basedir|%~?dp0")
_SHOWN = 20


def find_package_concerns(project: Path, then: Mapping[str, Stamp]) -> Iterator[Concern]:
    """By size and times: only what changed is looked at."""
    folders = _folders(project, then)
    now = dict(read_stamps(project, folders))
    changed = [path for path, stamp in now.items() if then.get(path) != stamp]
    marked = any(path.endswith(_MARKS) for path in changed)
    installed = marked or any((project / each).exists() for each in _UNMARKED)
    renewed = _renewed(then, now) if installed else frozenset[str]()
    found = (
        *_edited([path for path in changed if _package(path) not in renewed], then, now),
        *_shims(project, changed),
        *(() if installed else _put_there(project, changed, then)),
    )
    for path, because in found[:_SHOWN]:
        yield make_concern(
            ConcernKind.DEPENDENCY, path, reason=because, content="-".join(map(str, now[path]))
        )


def _folders(project: Path, then: Mapping[str, Stamp]) -> list[str]:
    known = {f"{path.partition(_FOLDER)[0]}{_FOLDER}" for path in then if _FOLDER in path}
    return sorted(each for each in {_FOLDER, *known} if (project / each).is_dir())


def _renewed(then: Mapping[str, Stamp], now: Mapping[str, Stamp]) -> frozenset[str]:
    """An installer replaces a package as a whole: then no file of it is as it was."""
    stayed = {_package(path) for path, stamp in then.items() if now.get(path) == stamp}
    return frozenset(map(_package, then)) - stayed


def _edited(
    changed: list[str], then: Mapping[str, Stamp], now: Mapping[str, Stamp]
) -> Iterator[tuple[str, str]]:
    for path in changed:
        if path not in then or not _RUN.fullmatch(path) or not _package(path):
            continue
        if then[path][:2] != now[path][:2]:
            yield path, f"`{path}` was changed, and its package was not installed anew"


def _package(path: str) -> str:
    found = _INSIDE.fullmatch(path)
    return found["package"] if found else ""


def _shims(project: Path, changed: list[str]) -> Iterator[tuple[str, str]]:
    for path in changed:
        found = _BINARY.fullmatch(path)
        if found is None:
            continue
        place = project / path
        if place.is_symlink():
            genuine = _FOLDER in place.resolve().parts
        else:
            genuine = _SHIM.search(_beginning(place)) is not None
        if not genuine:
            yield path, f"`{path}` is no command of an installed package"


def _beginning(place: Path) -> str:
    try:
        with place.open("rb") as file:
            return file.read(4_000).decode("utf-8", "replace")
    except OSError:
        return ""


def _put_there(
    project: Path, changed: list[str], then: Mapping[str, Stamp]
) -> Iterator[tuple[str, str]]:
    """A new package that no installer has told of."""
    wanted = _wanted(project)
    for path in changed:
        found = _INSIDE.fullmatch(path)
        if found is None or found["inner"] != "package.json" or path in then:
            continue
        name = found["package"].rpartition(f"{_FOLDER}/")[2]
        if name not in wanted:
            yield path, f"the package `{name}` was put there by hand"


def _wanted(project: Path) -> frozenset[str]:
    kinds = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
    return frozenset(name for kind in kinds for name in read_package_field(project, kind))
