"""Linters that are asked about one file's text, where a project uses them and no server does."""

import os
import shutil
from pathlib import Path

from msgspec.structs import replace

from untildone.checks.detection.manifest import first_existing, read_json
from untildone.checks.findings import findings_of
from untildone.checks.parsers import eslint
from untildone.errors import UserError
from untildone.loop.model import Finding
from untildone.process import environment, run

# biome tells nothing of a text on its stdin, and its server leaves a process behind.
ESLINT = "eslint"
_SUFFIXES = frozenset((".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"))
_CONFIGURED = ("eslint.config.*", ".eslintrc*")
_JUDGED = (0, 1)


def linter(project: Path) -> str:
    """The project's own `eslint`, if it is configured; "" if not."""
    if not first_existing(project, *_CONFIGURED) and not _in_manifest(project):
        return ""
    return shutil.which(ESLINT, path=str(project / "node_modules" / ".bin")) or ""


def _in_manifest(project: Path) -> bool:
    try:
        return "eslintConfig" in (read_json(project / "package.json") or {})
    except UserError:
        return False


def lints(file: Path) -> bool:
    return file.suffix in _SUFFIXES


def lint(
    program: str, file: Path, text: str, *, project: Path, timeout: float
) -> tuple[Finding, ...] | None:
    """What it says of the text as that of the file below the project; None if it says nothing."""
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
    return findings_of(ESLINT, (replace(found, path=path) for found in eslint.parse(ended.text)))
