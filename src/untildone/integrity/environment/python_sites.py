"""Collects facts about installed Python packages: startup files, altered and unrecorded files.

Installers write a `RECORD` with the hash of each file of a package. A `_pytest/runner.py` whose
hash differs from it was altered, and a `sitecustomize.py` is loaded at every start of Python.
"""

import base64
import csv
import hashlib
import os
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

from untildone.core.late_patterns import compile_late
from untildone.worktree.hashing import hash_content
from untildone.worktree.limits import count_steps
from untildone.worktree.stamps import read_stamp

# Files that Python loads at every start.
_STARTUP_FILE = compile_late(r"(sitecustomize|usercustomize)(\.py|\.pyc|/__init__\.py)|.*\.pth")
# Startup files that virtualenv, setuptools and coverage install.
_HARMLESS_STARTUP_FILE = compile_late(
    r"_virtualenv\.pth|distutils-precedence\.pth|__editable__.*|a1_coverage\.pth"
)
_SITES = (
    *("lib/python3*/site-packages", "lib/python3*/dist-packages", "Lib/site-packages"),
    *("lib/python3/dist-packages", "local/lib/python3*/dist-packages"),
)
# The folder of the standard library, and folders in it that are none of its modules.
_LIBRARY = "lib/python3*"
_IS_NO_LIBRARY = compile_late(r"(site|dist)-packages|__pycache__|test|tests|idlelib|config-.*")
_USER_SITES = (".local/lib/python3*/site-packages", "Library/Python/3*/lib/python/site-packages")
# It makes a folder a virtual environment.
_CONFIGURATION = "pyvenv.cfg"
# include-system-site-packages = false
_SHARES_SYSTEM_PACKAGES = compile_late(r"(?im)^\s*include-system-site-packages\s*=\s*(.*?)\s*$")
# Names the plugins that pytest and others load automatically.
_PLUGINS = "entry_points.txt"
_MAX_UNRECORDED = 1_000
# An installer writes all of its records within this time.
_MAX_INSTALL_TIME_NS = 60 * 10**9


def find_site_folders(interpreter: Path, home: Path) -> tuple[Path, ...]:
    """Return the folders in which the interpreter looks for installed modules.

    They are derived from its path: to ask it would run the code in question.
    """
    environment, base = interpreter.parent.parent, interpreter.resolve().parent.parent
    globs = [*product((environment,), (*_SITES, _LIBRARY)), (base, _LIBRARY)]
    if not _is_isolated(interpreter):
        globs += (*product((base,), _SITES), *product((home,), _USER_SITES))
    return tuple(sorted({folder for top, pattern in globs for folder in top.glob(pattern)}))


def _is_isolated(interpreter: Path) -> bool:
    """Say whether it is a virtual environment without the packages of its base interpreter."""
    if (interpreter.parent / _CONFIGURATION).exists():
        # Python reads this file instead of that of the environment.
        return False
    try:
        text = (interpreter.parent.parent / _CONFIGURATION).read_text("utf-8", errors="replace")
    except OSError:
        return False
    return [value.lower() for value in _SHARES_SYSTEM_PACKAGES.findall(text)] == ["false"]


def collect_site_facts(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield facts about the folder's files: names such as `loaded PATH`, each with a hash.

    `loaded` are startup files, `altered` files that differ from what was installed; `loose` modules
    and `plugin` entry points are recorded by no installer. `library` is the standard library as a
    whole, if the user may write to it.
    """
    if (folder / "os.py").exists():
        yield from _stamp_library(folder)
    recorded_startup_files: set[str] = set()
    # The first parts of recorded paths: `_pytest` and `pytest-9.0.dist-info`.
    recorded_names: set[str] = set()
    for record in sorted(folder.glob("*.dist-info/RECORD")):
        entries = _read_record(record)
        paths = [path for path, _ in entries]
        recorded_startup_files.update(filter(_STARTUP_FILE.fullmatch, paths))
        recorded_names.update(path.partition("/")[0] for path in paths)
        yield from _find_altered_files(record, entries)
    yield from _find_startup_files(folder, recorded_startup_files)
    yield from _find_unrecorded_files(folder, recorded_names)


def _stamp_library(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield one fact that changes with any module of the standard library."""
    if not os.access(folder, os.W_OK):
        return
    stamps: list[tuple[str, object]] = []
    for top, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not _IS_NO_LIBRARY.fullmatch(name)]
        count_steps(len(files))
        names = (name for name in files if name.endswith((".py", ".so")))
        stamps += ((path, read_stamp(path)) for path in (f"{top}/{name}" for name in names))
    yield f"library {folder}", hashlib.sha256(repr(sorted(stamps)).encode()).hexdigest()


def _find_startup_files(folder: Path, recorded: set[str]) -> Iterator[tuple[str, str]]:
    """Yield a fact for each startup file that is not recorded."""
    patterns = ("*.pth", "sitecustomize*", "usercustomize*")
    for top in (top for pattern in patterns for top in sorted(folder.glob(pattern))):
        file = top / "__init__.py" if top.is_dir() else top
        path = file.relative_to(folder).as_posix()
        is_harmless = path in recorded or _HARMLESS_STARTUP_FILE.fullmatch(top.name)
        if _STARTUP_FILE.fullmatch(path) and not is_harmless:
            yield f"loaded {file}", _hash_as_recorded(file)


def _find_unrecorded_files(folder: Path, recorded_names: set[str]) -> Iterator[tuple[str, str]]:
    """Yield facts about modules and plugins of a virtual environment that are not recorded.

    Elsewhere, as in Debian's `dist-packages`, honest packages have no RECORD either.
    """
    unrecorded = (top for top in sorted(folder.glob("*")) if top.name not in recorded_names)
    for top in unrecorded if _is_in_virtual_environment(folder) else ():
        if top.suffix in (".dist-info", ".egg-info"):
            if (top / _PLUGINS).exists():
                yield f"plugin {top / _PLUGINS}", _hash_as_recorded(top / _PLUGINS)
            continue
        for file in [top] if top.suffix == ".py" else sorted(top.rglob("*.py"))[:_MAX_UNRECORDED]:
            if not _STARTUP_FILE.fullmatch(file.relative_to(folder).as_posix()):
                yield f"loose {file}", _hash_as_recorded(file)


def _is_in_virtual_environment(folder: Path) -> bool:
    """Say whether it is `.venv/lib/python3.13/site-packages`, or `.venv/Lib/site-packages`."""
    environments = folder.parents[1:3]
    is_virtual = any((environment / _CONFIGURATION).exists() for environment in environments)
    return folder.name == "site-packages" and is_virtual


def _read_record(record: Path) -> list[tuple[str, str]]:
    """Return path and digest of each line of a RECORD: `_pytest/runner.py,sha256=5f2d…,17123`."""
    try:
        lines = record.read_text(encoding="utf-8", errors="replace").splitlines()
        # Only quoted lines need the slower CSV reader.
        quoted = csv.reader(line for line in lines if line.startswith('"'))
        rows = [*(line.rsplit(",", 2) for line in lines if line[:1] != '"'), *quoted]
    except (OSError, csv.Error):
        return []
    return [(row[0], row[1]) for row in rows if len(row) == 3]


def _find_altered_files(
    record: Path, entries: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Yield a fact for each installed file whose content differs from the package's RECORD.

    Only files that changed after it was written are read. A RECORD that is much younger than the
    rest of the installation is reported itself.
    """
    record_time = _read_change_time(record)
    install_time = _read_change_time(record.parent / "INSTALLER") or record_time
    if record_time - install_time > _MAX_INSTALL_TIME_NS:
        yield f"altered {record}", _hash_as_recorded(record)
    folder = f"{record.parent.parent}{os.sep}"
    for path, digest in entries:
        if not digest.startswith("sha256=") or _read_change_time(folder + path) <= record_time:
            continue
        # ../../../bin/pytest
        file = Path(folder + path).resolve() if ".." in path else Path(folder + path)
        if (current := _hash_as_recorded(file)) and current != digest.removeprefix("sha256="):
            yield f"altered {file}", current


def _read_change_time(path: Path | str) -> int:
    """Return the later of modification and change time; 0 for a missing file.

    A program can set back the first, not the second.
    """
    count_steps()
    try:
        # A path object would cost more than the call itself.
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return 0
    return max(status.st_mtime_ns, status.st_ctime_ns)


def _hash_as_recorded(file: Path) -> str:
    """Return the SHA-256 in the form of a RECORD; empty if the file cannot be read."""
    return base64.urlsafe_b64encode(hash_content(file)).rstrip(b"=").decode()
