"""Security findings: ast-grep over the project with our rules and the user's own."""

import sys
from collections.abc import Sequence
from pathlib import Path

from untildone.checks.findings import make_findings
from untildone.checks.security.engine import is_installed, scan_paths, validate_rules
from untildone.core.model import Check, Finding
from untildone.process import quoted

__all__ = ["NAME", "is_installed", "make_check", "scan_files"]

NAME = "security"
_MODULE = "untildone.checks.security"
_SECONDS = 30.0


def make_check(project: Path, *, rules: tuple[Path, ...] = ()) -> Check:
    """The check of a whole project; a missing program or a broken rule is told now."""
    folders = tuple(_below(project, folder) for folder in rules)
    validate_rules(tuple(project / folder for folder in folders))
    options = (word for folder in folders for word in ("--rules", str(folder)))
    words = (sys.executable, "-I", "-m", _MODULE, *options)
    return Check(
        name=NAME,
        command=" ".join(map(quoted, words)),
        reason="no security finding may be left",
    )


def scan_files(
    paths: Sequence[Path],
    *,
    project: Path,
    rules: tuple[Path, ...] = (),
    timeout: float = _SECONDS,
) -> tuple[Finding, ...]:
    """What is found in these files, just as the check of the whole project reports it."""
    inside = tuple(_below(project, path) for path in paths)
    found = scan_paths(inside, cwd=project, rules=rules, timeout=timeout) if inside else ()
    return make_findings(NAME, found)


def _below(project: Path, path: Path) -> Path:
    """As seen from the project if it lies there: a copy of the project has it too."""
    for place in (path.parent.resolve() / path.name, path.absolute()):
        for top in (project.resolve(), project.absolute()):
            if place.is_relative_to(top):
                return place.relative_to(top)
    return path.absolute()
