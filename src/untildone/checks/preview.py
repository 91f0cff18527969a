"""Makes the preview of a slow check: a run of the tests or files that most likely fail.

The whole run follows and decides. `affected_tests` selects tests; linters are run on changed files.
"""

import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from untildone.checks.affected_tests import ProjectFiles, gather_suspects, select_affected_tests
from untildone.commands.programs import find_single_program
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.syntax.languages import language_of
from untildone.worktree.listing import list_changed_files, list_files

_MOST_FILES = 50
# A shorter run needs no preview.
_SHORTEST_RUN = 2.0


class _Linter(Struct, frozen=True, kw_only=True):
    """How a linter can be run on some files only.

    `options` are those that stay valid then. `subcommand` precedes them. `added` keeps files
    excluded although they are named. `folder` is what it reads by default; "" if its
    configuration says so.
    """

    languages: tuple[str, ...]
    options: frozenset[str]
    subcommand: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    folder: str = ""


_LINTERS = {
    "ruff": _Linter(
        languages=("python",),
        options=frozenset(
            {"--config", "--ignore", "--no-cache", "--no-fix", "--output-format", "--preview"}
            | {"--extend-select", "--quiet", "--select", "-q"}
        ),
        subcommand=("check",),
        added=("--force-exclude",),
        folder=".",
    ),
    "mypy": _Linter(
        languages=("python",),
        options=frozenset(
            {"--config-file", "--no-error-summary", "--pretty", "--python-version"}
            | {"--show-error-codes", "--strict"}
        ),
    ),
    "eslint": _Linter(
        languages=("javascript", "typescript", "tsx"),
        options=frozenset({"--cache", "--config", "--max-warnings", "--quiet"}),
        added=("--no-warn-ignored",),
        folder=".",
    ),
}


def make_preview(check: Check, last_run: CheckResult | None, project: Path) -> Check | None:
    """Return the check to run first; None for a fast check, or a command that is not simple."""
    parts = find_single_program(check.command)
    if last_run is None or last_run.seconds < _SHORTEST_RUN or parts is None:
        return None
    program, launcher, arguments = parts
    linter = _LINTERS.get(program)
    suspects = gather_suspects(list_changed_files(project), [last_run])
    if linter is None:
        # git also lists files that were just deleted.
        paths = [path.as_posix() for path in list_files(project) if (project / path).is_file()]
        affected = select_affected_tests(check, suspects, ProjectFiles(project, paths))
        return affected.check if affected else None
    folders = _find_folders(linter, arguments, project / check.cwd)
    suspicious = suspects.changed | suspects.flagged
    names = (path for path in suspicious if language_of(path) in linter.languages)
    files = sorted(_find_files(names, folders, check, project))
    if not 0 < len(files) <= _MOST_FILES:
        return None
    options = [word for word in arguments if word not in folders]
    return replace(check, command=shlex.join((*launcher, *options, *linter.added, *files)))


def _find_folders(linter: _Linter, words: list[str], cwd: Path) -> list[str]:
    """Return the folders that the linter reads; none if the command has an unknown option."""
    count = len(linter.subcommand)
    if tuple(words[:count]) != linter.subcommand:
        return []
    arguments = words[count:]
    folders = [word for word in arguments if not word.startswith("-")]
    options = {word.partition("=")[0] for word in arguments if word.startswith("-")}
    if not options <= linter.options or not all((cwd / folder).is_dir() for folder in folders):
        return []
    return folders or ([linter.folder] if linter.folder else _read_mypy_folders(cwd))


def _read_mypy_folders(cwd: Path) -> list[str]:
    """Return the folders in the settings of mypy; none if the settings exclude something."""
    # Imported here because the import would slow down every stop that runs checks.
    from untildone.checks.detection.project_files import get_table, read_or_empty

    settings = get_table(read_or_empty(cwd / "pyproject.toml"), "tool", "mypy")
    files = settings.get("files")
    names = files if isinstance(files, list) else str(files or "").split(",")
    folders = [str(name).strip() for name in names if name]
    complete = all((cwd / name).is_dir() for name in folders) and "exclude" not in settings
    return folders if complete else []


def _find_files(
    paths: Iterable[str], folders: list[str], check: Check, project: Path
) -> Iterator[str]:
    """Yield the files in the folders, relative to the check's, but none named like an option."""
    for path in map(PurePosixPath, paths):
        if not path.is_relative_to(check.cwd) or not (project / path).is_file():
            continue
        file = path.relative_to(check.cwd)
        if any(map(file.is_relative_to, folders)) and not str(file).startswith("-"):
            yield str(file)
