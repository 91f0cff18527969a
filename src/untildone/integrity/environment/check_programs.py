"""Finds the programs that a check starts, also through scripts of `package.json`, and their files.

For `npm test` with the script `vitest run` these are `npm` and `vitest`, the second of them with
the file `node_modules/.bin/vitest`.
"""

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from untildone.commands.package_scripts import select_scripts
from untildone.commands.shell import parse_calls
from untildone.words import words

# Words of the shell itself, not programs.
_SHELL_WORDS = words("""
    cd export set unset exit trap : . source wait eval for done fi case esac in shift return read
    alias
""")


def find_check_programs(
    project: Path, commands: Iterable[str], environ: Mapping[str, str]
) -> dict[str, str]:
    """Return the programs that the commands start, each with the path of its file.

    The key is the word that starts the program; the path is empty if a shell would not find it.
    """
    # For a script npm searches these folders first: of the project and of every folder above it.
    npm_folders = [str(folder / "node_modules/.bin") for folder in (project, *project.parents)]
    files: dict[str, str] = {}
    for command, is_script in find_run_commands(project, commands):
        folders = npm_folders if is_script else []
        search_path = os.pathsep.join((*folders, environ.get("PATH", "")))
        for name, *_ in parse_calls(command):
            file = _find_file(name, project, search_path)
            # `$TOOL` is a variable; a quoted path may have this character too.
            if name not in _SHELL_WORDS and name not in files and (file or "$" not in name):
                files[name] = file
    return files


def find_run_commands(project: Path, commands: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield the commands, and the scripts of `package.json` that they run, each once.

    Each comes with whether it is such a script: `("npm test", False)`, `("vitest run", True)`.
    """
    declared = read_package_field(project, "scripts").items()
    scripts = {name: script for name, script in declared if isinstance(script, str)}
    run_commands = dict.fromkeys(commands, False)
    # It grows while it is read, since a script may run others.
    unread = list(run_commands)
    for command in unread:
        yield command, run_commands[command]
        for call in parse_calls(command):
            for script in select_scripts(call, scripts):
                if script not in run_commands:
                    run_commands[script] = True
                    unread.append(script)


def read_package_field(project: Path, field: str) -> dict[str, object]:
    """Return an object of `package.json`, as of `scripts`; empty if it cannot be read."""
    try:
        package = json.loads((project / "package.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    value = package.get(field) if isinstance(package, dict) else None
    return value if isinstance(value, dict) else {}


def _find_file(name: str, project: Path, search_path: str) -> str:
    """Return the path of the program's file, as a shell would find it; empty if there is none."""
    if os.sep in name or "/" in name:
        file = project / name
        return str(file) if file.exists() else ""
    return shutil.which(name, path=search_path) or ""
