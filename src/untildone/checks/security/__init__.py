"""The security check: ast-grep with our rules and the user's own."""

import sys
from collections.abc import Sequence
from pathlib import Path

from untildone.checks.findings import make_findings
from untildone.checks.security.engine import is_installed, scan_paths, validate_rules
from untildone.core.check_results import Finding
from untildone.core.contract import Check
from untildone.process.command import quote_argument

__all__ = ["NAME", "is_installed", "make_check", "scan_files"]

NAME = "security"
_MODULE = "untildone.checks.security"
_TIMEOUT = 30.0


def make_check(project: Path, *, rules: tuple[Path, ...] = ()) -> Check:
    """Return the check of a project; raise an error for a missing program or a broken rule."""
    folders = tuple(_make_relative(project, folder) for folder in rules)
    validate_rules(tuple(project / folder for folder in folders))
    options = (word for folder in folders for word in ("--rules", str(folder)))
    words = (sys.executable, "-I", "-m", _MODULE, *options)
    return Check(
        name=NAME,
        command=" ".join(map(quote_argument, words)),
        reason="no security finding may be left",
    )


def scan_files(
    paths: Sequence[Path], *, project: Path, rules: tuple[Path, ...] = (), timeout: float = _TIMEOUT
) -> tuple[Finding, ...]:
    """Return the findings in these files, equal to those of the check of the whole project."""
    files = tuple(_make_relative(project, path) for path in paths)
    found = scan_paths(files, cwd=project, rules=rules, timeout=timeout) if files else ()
    return make_findings(NAME, found)


def _make_relative(project: Path, path: Path) -> Path:
    """Return the path relative to the project if it is inside, because a sandbox has it too."""
    for candidate in (path.parent.resolve() / path.name, path.absolute()):
        for root in (project.resolve(), project.absolute()):
            if candidate.is_relative_to(root):
                return candidate.relative_to(root)
    return path.absolute()
