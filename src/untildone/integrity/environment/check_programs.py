"""Finds the programs that a check starts, also by the scripts of `package.json`, and their places.

For `npm test` with the script `vitest run` these are `npm` and `vitest`, the second of them in
`node_modules/.bin`.
"""

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from untildone.commands.package_scripts import select_scripts
from untildone.commands.shell import parse_calls
from untildone.words import words

# Words of the shell itself, not programs.
_SHELL_WORDS = words("""
    cd export set unset exit trap : . source wait eval for done fi case esac in shift return read
    alias
""")


class Program(Struct, frozen=True):
    name: str
    # Where a shell finds it; empty if nowhere.
    place: str


def find_check_programs(
    project: Path, commands: Iterable[str], environ: Mapping[str, str]
) -> Iterator[Program]:
    """Yield each program that the commands start, once, with the place where a shell finds it."""
    # npm searches these folders first: of the project and of every folder above it.
    npm = [str(folder / "node_modules" / ".bin") for folder in (project, *project.parents)]
    seen: set[str] = set()
    for command, is_script in find_run_commands(project, commands):
        path = os.pathsep.join((*(npm if is_script else ()), environ.get("PATH", "")))
        for name, *_ in parse_calls(command):
            if name in _SHELL_WORDS or "$" in name or name in seen:
                continue
            seen.add(name)
            yield Program(name, _locate(name, project, path))


def find_run_commands(project: Path, commands: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield the commands, and the scripts of `package.json` that they run, marked as such."""
    declared = read_package_field(project, "scripts").items()
    scripts = {name: script for name, script in declared if isinstance(script, str)}
    waiting = [(command, False) for command in dict.fromkeys(commands)]
    seen = {command for command, _ in waiting}
    for command, is_script in waiting:
        yield command, is_script
        called = (each for call in parse_calls(command) for each in select_scripts(call, scripts))
        fresh = [each for each in dict.fromkeys(called) if each not in seen]
        seen.update(fresh)
        waiting += ((each, True) for each in fresh)


def read_package_field(project: Path, field: str) -> dict[str, object]:
    """Return an object of `package.json`; empty where there is none or it cannot be read."""
    try:
        package = json.loads((project / "package.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    value = package.get(field) if isinstance(package, dict) else None
    return value if isinstance(value, dict) else {}


def _locate(name: str, project: Path, path: str) -> str:
    """Return the program's file by its path, or by the search path; empty if there is none."""
    if os.sep in name or "/" in name:
        place = project / name
        return str(place) if place.exists() else ""
    return shutil.which(name, path=path) or ""
