"""What a sandbox is made from: the project, and its surroundings as the baseline has them."""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from untildone.core.sandbox_trial import ALL_WALLS, Wall
from untildone.integrity.baseline import Baseline, get_saved_folders, read_baseline_time
from untildone.integrity.environment.facts import (
    SEARCH_PATH,
    find_module_folders,
    list_program_files,
)
from untildone.integrity.environment.search_path import find_shadowing_programs
from untildone.sandbox.bytecode import find_new_bytecode
from untildone.sandbox.home_folder import find_prefix, find_user_home
from untildone.sandbox.sandbox_source import SandboxSource

# Our reporter of unittest and our interpreter run in sandboxes too, wherever they are installed.
_OWN_FOLDERS = (Path(__file__).parents[1], Path(sys.executable).parents[1])
_NONE: Mapping[str, str] = MappingProxyType({})


def make_source(
    baseline: Baseline,
    project: Path,
    *,
    folder: Path,
    state_home: Path,
    hidden_files: tuple[Path, ...],
    variables: Mapping[str, str] = _NONE,
    walls: tuple[Wall, ...] = ALL_WALLS,
    was_possible: bool = False,
) -> SandboxSource:
    """Return the source of sandboxes for a project whose baseline is saved in `folder`.

    `variables` are added to those of the baseline; `state_home` is out of reach inside, and so are
    `hidden_files`. `was_possible` says that a sandbox with these walls could be made on the
    baseline.
    """
    environ = _find_environ(baseline)
    return SandboxSource(
        project=project,
        environ=environ,
        baseline_environ={**baseline.variables, **variables},
        since=read_baseline_time(folder),
        ignored=baseline.ignored,
        stamps=baseline.dependencies,
        saved_folders=get_saved_folders(folder),
        walls=walls,
        was_possible=was_possible,
        lent_paths=(*_OWN_FOLDERS, *_list_program_folders(baseline, environ)),
        hidden_folders=(state_home,),
        hidden_files=hidden_files,
    )


def find_hidden_files(baseline: Baseline, project: Path, *, folder: Path) -> tuple[Path, ...]:
    """Return programs and byte-code that were put there since the baseline.

    Searching them takes a while: once for all sandboxes of a stop is enough.
    """
    environ = _find_environ(baseline)
    programs = list_program_files(baseline.surroundings)
    modules = find_module_folders(project, programs, find_user_home(environ))
    return (
        # Only on the baseline's own search path: of other folders it is unknown what was there.
        *find_shadowing_programs(baseline.programs, baseline.surroundings),
        *find_new_bytecode(modules, since=read_baseline_time(folder)),
    )


def _find_environ(baseline: Baseline) -> dict[str, str]:
    """Return the variables of now with the baseline's search path.

    That of a hook may differ from that of the terminal where the loop began.
    """
    search_path = baseline.surroundings.get(SEARCH_PATH) or os.environ.get(SEARCH_PATH, "")
    return {**os.environ, SEARCH_PATH: search_path}


def _list_program_folders(baseline: Baseline, environ: Mapping[str, str]) -> Iterator[Path]:
    """Yield the installations of the programs that the checks start, and where links lead to."""
    home = find_user_home(environ)
    for file in list_program_files(baseline.surroundings):
        for path in (file, os.path.realpath(file)):
            yield find_prefix(Path(path).parent, home)
