"""Linters that are asked about a file's text, where a project uses them and no server does."""

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from untildone.checks.detection.manifest import find_first, read_json
from untildone.checks.findings import make_findings
from untildone.checks.parsers import biome, eslint
from untildone.core.model import Finding
from untildone.errors import UserError
from untildone.process import environment, run

ESLINT = "eslint"
BIOME = "biome"
_SUFFIXES = frozenset((".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"))
_ESLINT_FILES = ("eslint.config.*", ".eslintrc*")
_BIOME_FILES = ("biome.json", "biome.jsonc")
_JUDGED = (0, 1)
# Its exit code says the same of findings and of files that it does not look at.
_BIOME_JUDGED = re.compile(r"^Checked [1-9]\d* files? in ", re.MULTILINE)
_BIOME_ASKED = ("lint", "--colors=off", "--max-diagnostics=none", "--vcs-enabled=false")


def find_eslint(project: Path) -> str:
    """The project's own `eslint`, if it is configured; "" if not."""
    configured = find_first(project, *_ESLINT_FILES) or _in_manifest(project)
    return _own(ESLINT, project) if configured else ""


def find_biome(project: Path) -> str:
    return _own(BIOME, project) if find_first(project, *_BIOME_FILES) else ""


def _own(program: str, project: Path) -> str:
    return shutil.which(program, path=str(project / "node_modules" / ".bin")) or ""


def _in_manifest(project: Path) -> bool:
    try:
        return "eslintConfig" in (read_json(project / "package.json") or {})
    except UserError:
        return False


def is_lintable(file: Path) -> bool:
    return file.suffix in _SUFFIXES


def run_eslint(
    program: str, file: Path, text: str, *, project: Path, timeout: float
) -> tuple[Finding, ...] | None:
    """What eslint says of the text as that of the file below the project; None if nothing."""
    ended = run(
        [program, "--stdin", "--stdin-filename", str(file)],
        cwd=project,
        timeout=timeout,
        env=environment(os.environ),
        stdin=text.encode("utf-8", "replace"),
    )
    if ended.exit_code not in _JUDGED:
        return None
    path = file.relative_to(project).as_posix()
    return make_findings(ESLINT, (replace(found, path=path) for found in eslint.parse(ended.text)))


def run_biome(
    program: str, files: Sequence[Path], *, project: Path, copies: Path, timeout: float
) -> tuple[Finding, ...] | None:
    """What biome says of copies of the project's files; None if nothing.

    Of a text on its stdin it tells nothing, and its server leaves a process behind.
    """
    settings = project / find_first(project, *_BIOME_FILES)
    shutil.copyfile(settings, copies / settings.name)
    ended = run(
        [program, *_BIOME_ASKED, *map(str, files)],
        cwd=copies,
        timeout=timeout,
        env=environment(os.environ),
    )
    if not _BIOME_JUDGED.search(ended.text):
        return None
    found = make_findings(BIOME, biome.parse(ended.text), project=copies)
    # It speaks of its settings too.
    return tuple(each for each in found if copies / each.path in files)
