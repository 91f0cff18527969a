"""What a tool said about a line of code, and how it becomes a finding of a check."""

import hashlib
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from msgspec import Struct

from untildone.checks.file_lookup import make_file_lookup
from untildone.core.model import Finding, Severity

_DIGITS = b"0123456789"
# file:///home/dev/shop/cart.py, file:///C:/shop/cart.py
_ADDRESS = re.compile(r"^file://(?:/(?=[A-Za-z]:))?")


class Diagnostic(Struct, frozen=True, kw_only=True, gc=False):
    """One thing a tool reported; `line` 0 is the whole file, `path` "" no file at all."""

    path: str
    line: int = 0
    code: str = ""
    severity: Severity = "error"
    text: str


def make_findings(
    check: str,
    diagnostics: Iterable[Diagnostic],
    *,
    folder: str = "",
    project: Path | None = None,
) -> tuple[Finding, ...]:
    """`folder`: where the check ran, if that is below the project."""
    path_of = _paths(folder, project)
    seen: Counter[bytes] = Counter()
    found: list[Finding] = []
    for diagnostic in diagnostics:
        path = path_of(diagnostic.path)
        text = diagnostic.text.encode("utf-8", "replace").translate(None, _DIGITS)
        where = f"{check}\0{path}\0{diagnostic.code}\0".encode("utf-8", "replace")
        identity = where + text
        found.append(
            Finding(
                check=check,
                path=path,
                line=diagnostic.line,
                code=diagnostic.code,
                severity=diagnostic.severity,
                text=diagnostic.text,
                fingerprint=_fingerprint(identity, seen[identity]),
            )
        )
        seen[identity] += 1
    return tuple(found)


def _fingerprint(identity: bytes, earlier: int) -> str:
    # The second of two equal complaints in a file is another one: mending one of them is progress.
    if earlier:
        identity = b"%b\0%d" % (identity, earlier)
    return hashlib.sha256(identity).hexdigest()[:16]


def _paths(folder: str, project: Path | None) -> Callable[[str], str]:
    roots = {f"{path.as_posix()}/" for path in _seen_as(project)}
    find = make_file_lookup(project, folder) if project else None

    @cache
    def path_of(told: str) -> str:
        path = _ADDRESS.sub("", told.replace("\\", "/"))
        if root := next((root for root in roots if _begins(path, root)), ""):
            return posixpath.normpath(path[len(root) :])
        if not path or path.startswith("/") or path[1:2] == ":":
            return path
        if find and "/" not in path:
            return find(path)
        return posixpath.normpath(posixpath.join(folder, path))

    return path_of


def _seen_as(project: Path | None) -> tuple[Path, ...]:
    return (project.absolute(), project.resolve()) if project else ()


def _begins(path: str, root: str) -> bool:
    if root[1:2] == ":":
        # Windows tells the same drive and folder in large and in small letters.
        return path[: len(root)].casefold() == root.casefold()
    return path.startswith(root)
