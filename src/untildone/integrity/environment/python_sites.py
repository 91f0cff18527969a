"""What Python loads at every start, and installed files that differ from what was installed."""

import base64
import csv
import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

_STARTUP = re.compile(r"(sitecustomize|usercustomize)(\.py|\.pyc|/__init__\.py)|.*\.pth")
# Written by the tools that make virtual environments.
_OF_ENVIRONMENT_MAKERS = re.compile(
    r"_virtualenv\.pth|distutils-precedence\.pth|__editable__.*|a1_coverage\.pth"
)
_SITES = (
    *("lib/python3*/site-packages", "lib/python3*/dist-packages", "Lib/site-packages"),
    *("lib/python3/dist-packages", "local/lib/python3*/dist-packages"),
)
_LIBRARY = "lib/python3*"
_USER_SITES = (".local/lib/python3*/site-packages", "Library/Python/3*/lib/python/site-packages")
_CONFIGURATION = "pyvenv.cfg"
# include-system-site-packages = false
_SHARES_SYSTEM_PACKAGES = re.compile(r"(?im)^\s*include-system-site-packages\s*=\s*(.*?)\s*$")
# Names the plugins that pytest and others load automatically.
_PLUGINS = "entry_points.txt"
_MAX_UNRECORDED = 1_000
# An installer writes all of its records within this time.
_INSTALL_TIME_NS = 60 * 10**9


def find_site_folders(interpreter: Path, home: Path) -> tuple[Path, ...]:
    """Return the folders in which the interpreter looks for installed modules.

    They are derived from its place: to ask it would run the code in question.
    """
    own, base = interpreter.parent.parent, interpreter.resolve().parent.parent
    places = [(own, each) for each in (*_SITES, _LIBRARY)] + [(base, _LIBRARY)]
    if not _is_isolated(interpreter):
        places += [(base, each) for each in _SITES] + [(home, each) for each in _USER_SITES]
    return tuple(sorted({found for prefix, each in places for found in prefix.glob(each)}))


def _is_isolated(interpreter: Path) -> bool:
    """Say whether it is a virtual environment without the packages of its base interpreter."""
    if (interpreter.parent / _CONFIGURATION).exists():
        return False
    try:
        text = (interpreter.parent.parent / _CONFIGURATION).read_text("utf-8", errors="replace")
    except OSError:
        return False
    return [value.lower() for value in _SHARES_SYSTEM_PACKAGES.findall(text)] == ["false"]


def collect_site_facts(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield hashes by `loaded PATH` for startup code, `altered PATH` for changed installed files.

    `loose PATH` and `plugin PATH` are files that no installer has recorded.
    """
    recorded: set[str] = set()
    tops: set[str] = set()
    for record in sorted(folder.glob("*.dist-info/RECORD")):
        entries = _read_record(record)
        recorded.update(name for name, _ in entries if _STARTUP.fullmatch(name))
        tops.update(name.partition("/")[0] for name, _ in entries)
        yield from _find_altered_files(record, entries)
    yield from _find_startup_files(folder, recorded)
    yield from _find_unrecorded_files(folder, tops)


def _find_startup_files(folder: Path, recorded: set[str]) -> Iterator[tuple[str, str]]:
    patterns = ("*.pth", "sitecustomize*", "usercustomize*")
    for place in (place for pattern in patterns for place in sorted(folder.glob(pattern))):
        file = place / "__init__.py" if place.is_dir() else place
        name = file.relative_to(folder).as_posix()
        is_startup = _STARTUP.fullmatch(name) and not _OF_ENVIRONMENT_MAKERS.fullmatch(place.name)
        if is_startup and name not in recorded:
            yield f"loaded {file}", _hash_as_recorded(file)


def _find_unrecorded_files(folder: Path, tops: set[str]) -> Iterator[tuple[str, str]]:
    unknown = (place for place in sorted(folder.glob("*")) if place.name not in tops)
    for place in unknown if _is_in_virtual_environment(folder) else ():
        if place.suffix in (".dist-info", ".egg-info"):
            if (place / _PLUGINS).exists():
                yield f"plugin {place / _PLUGINS}", _hash_as_recorded(place / _PLUGINS)
            continue
        files = [place] if place.suffix == ".py" else sorted(place.rglob("*.py"))[:_MAX_UNRECORDED]
        inside = ((file, file.relative_to(folder).as_posix()) for file in files)
        yield from (
            (f"loose {file}", _hash_as_recorded(file))
            for file, name in inside
            if not _STARTUP.fullmatch(name)
        )


def _is_in_virtual_environment(folder: Path) -> bool:
    within = (place / _CONFIGURATION for place in folder.parents[1:3])
    return folder.name == "site-packages" and any(each.exists() for each in within)


def _read_record(record: Path) -> list[tuple[str, str]]:
    """Return names and digests; only quoted lines need the slower CSV reader."""
    try:
        lines = record.read_text(encoding="utf-8", errors="replace").splitlines()
        quoted = csv.reader(line for line in lines if line.startswith('"'))
        rows = [*(line.rsplit(",", 2) for line in lines if line[:1] != '"'), *quoted]
    except (OSError, csv.Error):
        return []
    return [(row[0], row[1]) for row in rows if len(row) == 3]


def _find_altered_files(
    record: Path, entries: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Yield the installed files whose content differs from the package's RECORD.

    Only files that changed after it was written are read. A RECORD that is much younger than the
    rest of the installation is reported itself.
    """
    written = _find_change_time(record)
    installer = _find_change_time(record.parent / "INSTALLER") or written
    if written - installer > _INSTALL_TIME_NS:
        yield f"altered {record}", _hash_as_recorded(record)
    folder = f"{record.parent.parent}{os.sep}"
    for name, digest in entries:
        if not digest.startswith("sha256=") or _find_change_time(folder + name) <= written:
            continue
        place = Path(folder + name).resolve() if ".." in name else Path(folder + name)
        if (now := _hash_as_recorded(place)) and now != digest.removeprefix("sha256="):
            yield f"altered {place}", now


def _find_change_time(place: Path | str) -> int:
    """Return the later of the two times, since `ctime` cannot be set; 0 for a missing file."""
    try:
        # A path object would cost more than the call itself.
        status = os.stat(place)  # noqa: PTH116
    except OSError:
        return 0
    return max(status.st_mtime_ns, status.st_ctime_ns)


def _hash_as_recorded(place: Path) -> str:
    """Return the digest in the form of a RECORD file."""
    try:
        digest = hashlib.sha256(place.read_bytes()).digest()
    except OSError:
        return ""
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
