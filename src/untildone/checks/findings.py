"""Turns diagnostics of tools into findings of a check, with paths of the project."""

import hashlib
import posixpath
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from msgspec import Struct

from untildone.core.check_results import Finding, Severity
from untildone.core.late_patterns import compile_late
from untildone.worktree.listing import list_files

_DIGITS = b"0123456789"
# file:///home/dev/shop/cart.py, file:///C:/shop/cart.py
_FILE_URI = compile_late(r"^file://(?:/(?=[A-Za-z]:))?")


class Diagnostic(Struct, frozen=True, kw_only=True, gc=False):
    """One message of a tool; `line` 0 stands for the whole file, an empty `path` for no file."""

    path: str
    line: int = 0
    code: str = ""
    severity: Severity = "error"
    text: str


def make_findings(
    check: str, diagnostics: Iterable[Diagnostic], *, folder: str = "", project: Path | None = None
) -> tuple[Finding, ...]:
    """Return the findings of a check that ran in `folder` of the project."""
    convert = _make_path_converter(folder, project)
    counts: Counter[bytes] = Counter()
    found: list[Finding] = []
    for diagnostic in diagnostics:
        path = convert(diagnostic.path)
        text = diagnostic.text.encode("utf-8", "replace")
        location = f"{check}\0{path}\0{diagnostic.code}\0".encode("utf-8", "replace")
        identity = location + text.translate(None, _DIGITS)
        # Equal messages in a file get different fingerprints: fixing one of them is progress.
        unique = b"%b\0%d" % (identity, counts[identity]) if counts[identity] else identity
        counts[identity] += 1
        found.append(
            Finding(
                check=check,
                path=path,
                line=diagnostic.line,
                code=diagnostic.code,
                severity=diagnostic.severity,
                text=diagnostic.text,
                fingerprint=hashlib.sha256(unique).hexdigest()[:16],
            )
        )
    return tuple(found)


def _make_path_converter(folder: str, project: Path | None) -> Callable[[str], str]:
    """Return a function from a path that a tool printed to the path below the project."""
    folders = (project.absolute(), project.resolve()) if project else ()
    roots = {f"{path.as_posix()}/" for path in folders}
    find_file = make_file_lookup(project, folder) if project else None

    @cache
    def convert(printed: str) -> str:
        path = _FILE_URI.sub("", printed.replace("\\", "/"))
        if root := next((root for root in roots if _is_below(path, root)), ""):
            return posixpath.normpath(path[len(root) :])
        is_absolute = path.startswith("/") or path[1:2] == ":"
        if not path or is_absolute:
            return path
        if find_file and "/" not in path:
            return find_file(path)
        return posixpath.normpath(posixpath.join(folder, path))

    return convert


def _is_below(path: str, root: str) -> bool:
    if root[1:2] == ":":
        # Windows paths are case-insensitive.
        return path[: len(root)].casefold() == root.casefold()
    return path.startswith(root)


def make_file_lookup(project: Path, folder: str) -> Callable[[str], str]:
    """Return a function from a name to the path of the only file of that name below the folder.

    Without such a file, or with several, the path is the name in the folder itself.
    """

    @cache
    def list_by_name() -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in list_files(project):
            if path.is_relative_to(folder):
                found[path.name].append(path.as_posix())
        return found

    def find(name: str) -> str:
        direct = posixpath.join(folder, name)
        paths = list_by_name().get(name, [])
        return paths[0] if len(paths) == 1 and direct not in paths else direct

    return find
