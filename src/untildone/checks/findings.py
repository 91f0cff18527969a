"""What a tool said about a line of code, and how it becomes a finding of a check."""

import hashlib
import posixpath
from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from untildone.loop.model import Finding, Severity

_WITHOUT_DIGITS = str.maketrans("", "", "0123456789")


class Diagnostic(Struct, frozen=True, kw_only=True):
    """One thing a tool reported; `line` 0 is the whole file, `path` "" no file at all."""

    path: str
    line: int = 0
    code: str = ""
    severity: Severity = "error"
    text: str


def findings_of(
    check: str, diagnostics: Iterable[Diagnostic], *, folder: str = ""
) -> tuple[Finding, ...]:
    """`folder`: where the check ran, if that is below the project."""
    seen: Counter[str] = Counter()
    found: list[Finding] = []
    for diagnostic in diagnostics:
        path = _below_project(diagnostic.path, folder)
        identity = "\0".join(
            (check, path, diagnostic.code, diagnostic.text.translate(_WITHOUT_DIGITS))
        )
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


def _fingerprint(identity: str, earlier: int) -> str:
    # The second of two equal complaints in a file is another one: mending one of them is progress.
    if earlier:
        identity = f"{identity}\0{earlier}"
    return hashlib.sha256(identity.encode("utf-8", "replace")).hexdigest()[:16]


def _below_project(path: str, folder: str) -> str:
    path = path.replace("\\", "/")
    if not path or path.startswith("/") or path[1:2] == ":":
        return path
    return posixpath.normpath(posixpath.join(folder, path))
