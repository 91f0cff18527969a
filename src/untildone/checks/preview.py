"""An early look: a tool on what most likely fails, before the whole run that decides."""

import os
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from untildone.commands.programs import lone_program
from untildone.core.model import Check, CheckResult
from untildone.errors import UserError
from untildone.worktree.files import changed_files

_MOST_FILES = 50
# A run that ends this soon needs no herald.
_SHORT_SECONDS = 2.0
_PYTHON = (".py", ".pyi")
_SCRIPTS = (".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx")
_LAST_FAILED = "--last-failed --last-failed-no-failures=none"


class _Linter(Struct, frozen=True, kw_only=True):
    """`folder`: what it reads if it is given none; "" if only its configuration knows.

    `adds`: what is excluded stays so although it is named.
    """

    suffixes: tuple[str, ...]
    options: frozenset[str]
    begins: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()
    folder: str = ""


_LINTERS = {
    "ruff": _Linter(
        suffixes=_PYTHON,
        options=frozenset(
            {"--config", "--ignore", "--no-cache", "--no-fix", "--output-format", "--preview"}
            | {"--extend-select", "--quiet", "--select", "-q"}
        ),
        begins=("check",),
        adds=("--force-exclude",),
        folder=".",
    ),
    "mypy": _Linter(
        suffixes=_PYTHON,
        options=frozenset(
            {"--config-file", "--no-error-summary", "--pretty", "--python-version"}
            | {"--show-error-codes", "--strict"}
        ),
    ),
    "eslint": _Linter(
        suffixes=_SCRIPTS,
        options=frozenset({"--cache", "--config", "--max-warnings", "--quiet"}),
        adds=("--no-warn-ignored",),
        folder=".",
    ),
}


def make_preview(check: Check, last: CheckResult | None, project: Path) -> Check | None:
    """What to run first; None where it is not worth it, or the command not simple enough."""
    parts = lone_program(check.command)
    if last is None or last.seconds < _SHORT_SECONDS or parts is None:
        return None
    program, before, behind = parts
    if program == "pytest":
        return _last_failed(check, last)
    linter = _LINTERS.get(program)
    if linter is None:
        return None
    folders = _folders(linter, behind, project / check.cwd)
    suspects = {finding.path for finding in last.findings} | changed_files(project)
    wanted = (path for path in suspects if path.endswith(linter.suffixes))
    files = sorted(_files(wanted, folders, check, project))
    if not 0 < len(files) <= _MOST_FILES:
        return None
    options = [word for word in behind if word not in folders]
    return replace(check, command=shlex.join((*before, *options, *linter.adds, *files)))


def _last_failed(check: Check, last: CheckResult) -> Check | None:
    """Not by order within the whole run: tests that lean on others would fail in a new one."""
    if last.tests is None or not last.tests.failed:
        return None
    own = check.env.get("PYTEST_ADDOPTS", os.environ.get("PYTEST_ADDOPTS", ""))
    return replace(check, env={**check.env, "PYTEST_ADDOPTS": f"{own} {_LAST_FAILED}".strip()})


def _folders(linter: _Linter, words: list[str], here: Path) -> list[str]:
    """The folders it is told to read; none if any other word is not known to be harmless."""
    if tuple(words[: len(linter.begins)]) != linter.begins:
        return []
    rest = words[len(linter.begins) :]
    folders = [word for word in rest if not word.startswith("-")]
    options = {word.partition("=")[0] for word in rest if word.startswith("-")}
    if not options <= linter.options or not all((here / folder).is_dir() for folder in folders):
        return []
    return folders or ([linter.folder] if linter.folder else _configured(here))


def _configured(here: Path) -> list[str]:
    """The folders that `mypy` reads by its settings; none if they also leave something out."""
    # Imported where it is used: a stop that runs checks must not pay for it.
    from untildone.checks.detection.manifest import get_table, read_toml

    try:
        settings = get_table(read_toml(here / "pyproject.toml"), "tool", "mypy")
    except UserError:
        return []
    told = settings.get("files")
    names = told if isinstance(told, list) else str(told or "").split(",")
    folders = [str(name).strip() for name in names if name]
    whole = all((here / name).is_dir() for name in folders) and "exclude" not in settings
    return folders if whole else []


def _files(paths: Iterable[str], folders: list[str], check: Check, project: Path) -> Iterator[str]:
    """Those in the folders, as seen from where the check runs; no name that reads as an option."""
    for path in map(PurePosixPath, paths):
        if not path.is_relative_to(check.cwd) or not (project / path).is_file():
            continue
        file = path.relative_to(check.cwd)
        if any(map(file.is_relative_to, folders)) and not str(file).startswith("-"):
            yield str(file)
