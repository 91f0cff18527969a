"""Which plan a command means; with few imports, because `plan next` is called often."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from untildone.cli.options import project_option
from untildone.errors import UserError
from untildone.features.plans.plan_file import PLAN_FILE, find_plan

_Command = Callable[..., int | None]
_plan_option = click.option(
    "--plan",
    "file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The plan, if not the one in this project.",
)


def with_plan(command: _Command) -> _Command:
    """Pass the path of the plan that `--plan`, `--project` or the current folder names."""
    return _with_path(command, lambda file, folder: file or find_plan(folder))


def with_new_plan(command: _Command) -> _Command:
    """Pass the path of a plan that does not exist yet."""

    def find_free_path(file: Path | None, folder: Path) -> Path:
        path = file or folder / PLAN_FILE
        if path.exists():
            raise UserError(f"`{path}` exists already", hint="give another file with `--plan`")
        if path.parent.exists() and not path.parent.is_dir():
            raise UserError(
                f"`{path.parent}` is not a folder", hint="give another file with `--plan`"
            )
        return path

    return _with_path(command, find_free_path)


def _with_path(command: _Command, find_path: Callable[[Path | None, Path], Path]) -> _Command:
    @wraps(command)
    def call(*, file: Path | None, project: Path | None, **given: Any) -> int | None:  # noqa: ANN401  click's own
        return command(path=find_path(file, _folder(project)), **given)

    return _plan_option(project_option(call))


def _folder(project: Path | None) -> Path:
    try:
        return (project or Path.cwd()).resolve()
    except FileNotFoundError:
        raise UserError(
            "the current folder no longer exists", hint="`cd` elsewhere, or give `--project DIR`"
        ) from None
