"""Contents of installed packages, recorded when a loop starts and completed soon after.

Stamps tell which files of `node_modules` were touched since; only these are read again. A package
whose version is the same has the same files, whoever installed it.
"""

import hashlib
import json
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from untildone.integrity.environment.check_programs import read_package_field
from untildone.integrity.environment.node_files import LOADED_FILE, find_package
from untildone.worktree.hashing import hash_content
from untildone.worktree.stamps import Stamp, read_stamp

_FILE = "digests.json"
_MAX_SIZE = 8_000_000


class DependencyDigests(Struct, frozen=True):
    """Digests of the files that Node loads, by path, and versions by the folder of a package."""

    files: dict[str, str] = {}
    versions: dict[str, str] = {}

    def merge(self, other: "DependencyDigests") -> "DependencyDigests":
        """Return both; what this one has counts, as it was read first."""
        return DependencyDigests(other.files | self.files, other.versions | self.versions)


def read_digests(
    project: Path, stamps: Mapping[str, Stamp], *, seconds: float
) -> DependencyDigests:
    """Return the digests of files that still have these stamps, as far as they are read in time.

    The packages that the project itself declares come first.
    """
    files: dict[str, str] = {}
    versions: dict[str, str] = {}
    end = time.monotonic() + seconds
    for path in _order_files(project, stamps):
        if time.monotonic() > end:
            break
        digest = digest_file(project / path)
        # A file that changed while it was read is not the baseline's.
        if digest and read_stamp(project / path) == stamps[path]:
            files[path] = digest
            package = find_package(path)
            if path == f"{package}/package.json":
                versions[package] = read_version(project / path)
    return DependencyDigests(files, versions)


def _order_files(project: Path, stamps: Mapping[str, Stamp]) -> list[str]:
    """Return the files that Node loads, those of declared packages first."""
    fields = ("devDependencies", "dependencies")
    declared = {
        f"node_modules/{name}" for field in fields for name in read_package_field(project, field)
    }
    loaded = (
        path
        for path, stamp in stamps.items()
        if stamp[0] <= _MAX_SIZE and LOADED_FILE.fullmatch(path) and find_package(path)
    )
    return sorted(loaded, key=lambda path: find_package(path) not in declared)


def save_digests(digests: DependencyDigests, folder: Path) -> str:
    """Save the digests in the folder of the baseline; return the SHA-256 of what was saved."""
    data = msgspec.json.encode(digests)
    (folder / _FILE).write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def load_digests(folder: Path, digest: str) -> DependencyDigests:
    """Return what was saved; nothing if it was not, or was changed since."""
    try:
        data = (folder / _FILE).read_bytes()
    except OSError:
        return DependencyDigests()
    if hashlib.sha256(data).hexdigest() != digest:
        return DependencyDigests()
    return msgspec.json.decode(data, type=DependencyDigests)


def digest_file(file: Path) -> str:
    """Return the digest of the content; empty if it cannot be read."""
    return hash_content(file).hex()


def read_version(file: Path) -> str:
    """Return the version in a `package.json`; empty if it has none."""
    try:
        package = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return ""
    version = package.get("version") if isinstance(package, dict) else None
    return version if isinstance(version, str) else ""
