"""Which plan a command means; with few imports, because `plan next` is called often."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from untildone.cli.options import ANY_PATH, get_current_folder, project_option
from untildone.errors import UserError
from untildone.features.plans.plan_file import PLAN_FILE, find_plan

_Command = Callable[..., int | None]


def with_plan(command: _Command) -> _Command:
    """Pass the path of the plan that `--plan`, `--project` or the current folder names."""
    help_text = "The plan, if not the one in this project."
    return _with_path(command, lambda file, folder: file or find_plan(folder), help_text)


def with_new_plan(command: _Command) -> _Command:
    """Pass the path of a plan that does not exist yet."""
    return _with_path(command, _find_free_path, f"The file to write, if not {PLAN_FILE} here.")


def _find_free_path(file: Path | None, folder: Path) -> Path:
    path = file or folder / PLAN_FILE
    if path.exists():
        raise UserError(f"`{path}` exists already", hint="give another file with `--plan`")
    if path.parent.exists() and not path.parent.is_dir():
        raise UserError(f"`{path.parent}` is not a folder", hint="give another file with `--plan`")
    return path


def _with_path(
    command: _Command, find_path: Callable[[Path | None, Path], Path], help_text: str
) -> _Command:
    @click.option("--plan", "file", metavar="FILE", type=ANY_PATH, help=help_text)
    @project_option
    @wraps(command)
    def call(*, file: Path | None, project: Path | None, **values: Any) -> int | None:  # noqa: ANN401  click's own
        return command(path=find_path(file, (project or get_current_folder()).resolve()), **values)

    return call
