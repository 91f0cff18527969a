"""Runs eslint and biome on the text of single files, because no language server does."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from untildone.checks.detection.project_files import find_first, read_or_empty
from untildone.checks.findings import make_findings
from untildone.checks.parsers import biome, eslint
from untildone.core.check_results import Finding
from untildone.core.late_patterns import compile_late
from untildone.process.command import filter_environment
from untildone.process.runner import run
from untildone.syntax.languages import language_of

ESLINT = "eslint"
BIOME = "biome"
_LANGUAGES = ("javascript", "typescript", "tsx")
_ESLINT_FILES = ("eslint.config.*", ".eslintrc*")
_BIOME_FILES = ("biome.json", "biome.jsonc")
_LINTED = (0, 1)
# The exit code of biome is the same for findings and for files that it ignores.
_BIOME_LINTED = compile_late(r"(?m)^Checked [1-9]\d* files? in ")
_BIOME_ARGUMENTS = ("lint", "--colors=off", "--max-diagnostics=none", "--vcs-enabled=false")


def find_eslint(project: Path) -> str:
    """Return the project's own `eslint` if it is configured, else ""."""
    in_manifest = "eslintConfig" in read_or_empty(project / "package.json")
    configured = find_first(project, *_ESLINT_FILES) or in_manifest
    return _find_installed(ESLINT, project) if configured else ""


def find_biome(project: Path) -> str:
    return _find_installed(BIOME, project) if find_first(project, *_BIOME_FILES) else ""


def _find_installed(program: str, project: Path) -> str:
    return shutil.which(program, path=str(project / "node_modules" / ".bin")) or ""


def is_lintable(file: Path) -> bool:
    return language_of(file.name) in _LANGUAGES


def run_eslint(
    program: str, file: Path, text: str, *, project: Path, timeout: float
) -> tuple[Finding, ...] | None:
    """Return the findings of eslint in the text of a file; None if it did not lint."""
    finished = run(
        [program, "--stdin", "--stdin-filename", str(file)],
        cwd=project,
        timeout=timeout,
        env=filter_environment(os.environ),
        stdin=text.encode("utf-8", "replace"),
    )
    if finished.exit_code not in _LINTED:
        return None
    path = file.relative_to(project).as_posix()
    found = (replace(diagnostic, path=path) for diagnostic in eslint.parse(finished.text))
    return make_findings(ESLINT, found)


def run_biome(
    program: str, files: Sequence[Path], *, project: Path, copies: Path, timeout: float
) -> tuple[Finding, ...] | None:
    """Return the findings of biome in copies of the project's files; None if it did not lint.

    It does not lint a text on stdin, and its server leaves a process behind.
    """
    settings = project / find_first(project, *_BIOME_FILES)
    shutil.copyfile(settings, copies / settings.name)
    finished = run(
        [program, *_BIOME_ARGUMENTS, *map(str, files)],
        cwd=copies,
        timeout=timeout,
        env=filter_environment(os.environ),
    )
    if not _BIOME_LINTED.search(finished.text):
        return None
    found = make_findings(BIOME, biome.parse(finished.text), project=copies)
    # It reports findings in its own settings too.
    return tuple(finding for finding in found if copies / finding.path in files)
