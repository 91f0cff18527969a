"""What Python loads of its own accord, and installed files that are not what was installed."""

import base64
import csv
import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

_STARTUP = re.compile(r"(sitecustomize|usercustomize)(\.py|\.pyc|/__init__\.py)|.*\.pth")
# Written by the maker of the environment itself.
_OWN = re.compile(r"_virtualenv\.pth|distutils-precedence\.pth|__editable__.*|a1_coverage\.pth")
_INSTALLED = (
    *("lib/python3*/site-packages", "lib/python3*/dist-packages", "Lib/site-packages"),
    *("lib/python3/dist-packages", "local/lib/python3*/dist-packages"),
)
_LIBRARY = "lib/python3*"
_PERSONAL = (".local/lib/python3*/site-packages", "Library/Python/3*/lib/python/site-packages")
_CONFIGURATION = "pyvenv.cfg"
# include-system-site-packages = false
_SHARING = re.compile(r"(?im)^\s*include-system-site-packages\s*=\s*(.*?)\s*$")
# What pytest and others load by themselves.
_PLUGINS = "entry_points.txt"
_MOST_LOOSE = 1_000
# An installer writes all of its records within moments.
_MOMENTS_NS = 60 * 10**9


def find_site_folders(interpreter: Path, home: Path) -> tuple[Path, ...]:
    """Of an interpreter by its place alone: asking it would run what is in question."""
    own, base = interpreter.parent.parent, interpreter.resolve().parent.parent
    places = [(own, each) for each in (*_INSTALLED, _LIBRARY)] + [(base, _LIBRARY)]
    if not _is_closed(interpreter):
        places += [(base, each) for each in _INSTALLED] + [(home, each) for each in _PERSONAL]
    return tuple(sorted({found for prefix, each in places for found in prefix.glob(each)}))


def _is_closed(interpreter: Path) -> bool:
    """An environment that knows nothing of what is installed for the interpreter it is made of."""
    if (interpreter.parent / _CONFIGURATION).exists():
        return False
    try:
        text = (interpreter.parent.parent / _CONFIGURATION).read_text("utf-8", errors="replace")
    except OSError:
        return False
    return [each.lower() for each in _SHARING.findall(text)] == ["false"]


def collect_site_facts(folder: Path) -> Iterator[tuple[str, str]]:
    """`loaded PATH` for what runs at every start, `altered PATH` for what is not as installed.

    `loose PATH` and `plugin PATH` for what no installer has recorded in an environment.
    """
    recorded: set[str] = set()
    tops: set[str] = set()
    for record in sorted(folder.glob("*.dist-info/RECORD")):
        entries = _entries(record)
        recorded.update(name for name, _ in entries if _STARTUP.fullmatch(name))
        tops.update(name.partition("/")[0] for name, _ in entries)
        yield from _altered(record, entries)
    for name in ("*.pth", "sitecustomize*", "usercustomize*"):
        for place in sorted(folder.glob(name)):
            inner = place / "__init__.py" if place.is_dir() else place
            inside = inner.relative_to(folder).as_posix()
            if (
                _STARTUP.fullmatch(inside)
                and inside not in recorded
                and not _OWN.fullmatch(place.name)
            ):
                yield f"loaded {inner}", _digest(inner)
    yield from _loose(folder, tops)


def _loose(folder: Path, tops: set[str]) -> Iterator[tuple[str, str]]:
    unknown = (each for each in sorted(folder.glob("*")) if each.name not in tops)
    for place in unknown if _is_of_environment(folder) else ():
        if place.suffix in (".dist-info", ".egg-info"):
            if (place / _PLUGINS).exists():
                yield f"plugin {place / _PLUGINS}", _digest(place / _PLUGINS)
            continue
        files = [place] if place.suffix == ".py" else sorted(place.rglob("*.py"))[:_MOST_LOOSE]
        inside = ((file, file.relative_to(folder).as_posix()) for file in files)
        yield from (
            (f"loose {file}", _digest(file))
            for file, name in inside
            if not _STARTUP.fullmatch(name)
        )


def _is_of_environment(folder: Path) -> bool:
    within = (place / _CONFIGURATION for place in folder.parents[1:3])
    return folder.name == "site-packages" and any(each.exists() for each in within)


def _entries(record: Path) -> list[tuple[str, str]]:
    """Names and digests as they are written: an environment has tens of thousands of them."""
    try:
        lines = record.read_text(encoding="utf-8", errors="replace").splitlines()
        quoted = csv.reader(line for line in lines if line.startswith('"'))
        rows = [*(line.rsplit(",", 2) for line in lines if line[:1] != '"'), *quoted]
    except (OSError, csv.Error):
        return []
    return [(row[0], row[1]) for row in rows if len(row) == 3]


def _altered(record: Path, entries: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Only what changed after the record was written is read."""
    written = _changed(record)
    installer = _changed(record.parent / "INSTALLER") or written
    if written - installer > _MOMENTS_NS:
        yield f"altered {record}", _digest(record)
    folder = f"{record.parent.parent}{os.sep}"
    for name, digest in entries:
        if not digest.startswith("sha256=") or _changed(folder + name) <= written:
            continue
        place = Path(folder + name).resolve() if ".." in name else Path(folder + name)
        if (now := _digest(place)) and now != digest.removeprefix("sha256="):
            yield f"altered {place}", now


def _changed(place: Path | str) -> int:
    """The time of any change, which cannot be set by hand; 0 if it is not there."""
    try:
        # Not by a path object: it would cost more than the look.
        status = os.stat(place)  # noqa: PTH116
    except OSError:
        return 0
    return max(status.st_mtime_ns, status.st_ctime_ns)


def _digest(place: Path) -> str:
    """As a record has it."""
    try:
        digest = hashlib.sha256(place.read_bytes()).digest()
    except OSError:
        return ""
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
