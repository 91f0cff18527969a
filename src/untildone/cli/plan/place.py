"""Which plan is meant, in few imports: `plan next` is called again and again."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from untildone.cli.options import project_option
from untildone.errors import UserError
from untildone.features.plans.files import PLAN_FILE, find_plan

_Command = Callable[..., int | None]
_plan_option = click.option(
    "--plan",
    "file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The plan, instead of the one found here.",
)


def with_plan(command: _Command) -> _Command:
    """The path of the plan that `--plan`, `--project` or this folder names."""
    return _with_path(command, lambda file, folder: file or find_plan(folder))


def with_new_plan(command: _Command) -> _Command:
    """The path of a plan that is still to be written."""

    def free(file: Path | None, folder: Path) -> Path:
        path = file or folder / PLAN_FILE
        if path.exists():
            raise UserError(f"there is already a `{path}`", hint="name another one with `--plan`")
        if path.parent.exists() and not path.parent.is_dir():
            raise UserError(f"`{path.parent}` is no folder", hint="name another one with `--plan`")
        return path

    return _with_path(command, free)


def _with_path(command: _Command, path_of: Callable[[Path | None, Path], Path]) -> _Command:
    @wraps(command)
    def called(*, file: Path | None, project: Path | None, **given: Any) -> int | None:  # noqa: ANN401  click's own
        return command(path=path_of(file, _folder(project)), **given)

    return _plan_option(project_option(called))


def _folder(project: Path | None) -> Path:
    try:
        return (project or Path.cwd()).resolve()
    except FileNotFoundError:
        raise UserError(
            "the folder this is called in is gone", hint="`cd` elsewhere, or give `--project DIR`"
        ) from None
