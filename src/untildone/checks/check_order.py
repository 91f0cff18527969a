"""The order of checks: a build runs before the tests that read its output.

With the checks `build` (`tsc`) and `test` (`node --test dist/`) the tests must not read the `dist`
of yesterday. The configuration may name the order (`after = ["build"]`); else it is inferred from
the checks' names, and from commands that name a folder which a build writes.
"""

import re
from collections.abc import Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path, PurePosixPath

from untildone.commands.package_scripts import parse_package_scripts, select_scripts
from untildone.commands.programs import strip_launcher
from untildone.commands.shell import parse_calls, program_name
from untildone.core.contract import Check

# Folders that builds usually write, beside those that `tsconfig.json` names.
_OUTPUT_FOLDERS = ("dist", "build", "out")
# "outDir": "./lib", also in a file with comments
_OUT_DIR = re.compile(r'"(?:outDir|outFile|declarationDir)"\s*:\s*"(?:\./)?([^"/]+)')
_BUILD_TOOLS = frozenset(
    ("tsc", "vite", "webpack", "rollup", "esbuild", "tsup", "parcel", "swc", "babel", "unbuild")
)
# `tsc --noEmit` checks types and writes nothing.
_WRITES_NOTHING = "--noEmit"
_LARGEST_FILE = 1_000_000


def find_prerequisites(checks: Sequence[Check], project: Path) -> list[frozenset[int]]:
    """Return for each check the indexes of those that must have run before it."""
    found = [
        frozenset(
            index
            for index, other in enumerate(checks)
            if other is not check and _comes_before(other, check, project)
        )
        for check in checks
    ]
    try:
        TopologicalSorter(dict(enumerate(found))).prepare()
    except CycleError:
        # The configuration is refused before; inferred orders have no cycle on their own.
        return [frozenset() for _ in checks]
    return found


def sort_by_prerequisites(prerequisites: Sequence[frozenset[int]]) -> list[int]:
    """Return the indexes so that each comes after its prerequisites."""
    return list(TopologicalSorter(dict(enumerate(prerequisites))).static_order())


def find_output_folders(check: Check, project: Path) -> list[Path]:
    """Return the folders that a build in the check's folder writes, if the check deals with them.

    A build does, and a check whose command names one of them.
    """
    folder = project / check.cwd
    names = _list_output_folders(folder)
    if not _is_build(check, folder):
        names = [name for name in names if _names_folder(check, folder, name)]
    return [folder / name for name in names if (folder / name).is_dir()]


def _comes_before(other: Check, check: Check, project: Path) -> bool:
    if check.after:
        return other.name in check.after
    if other.cwd != check.cwd or _name_aspect(check) == "build":
        return False
    if _name_aspect(other) == "build" and _name_aspect(check) == "test":
        return True
    folder = project / check.cwd
    if not _is_build(other, folder) or _is_build(check, folder):
        return False
    return any(_names_folder(check, folder, name) for name in _list_output_folders(folder))


def _name_aspect(check: Check) -> str:
    """Return `test` for checks named `test`, `test:pytest` and, in the folder `web`, `web:test`."""
    words = check.name.split(":")
    return next((word for word in words if word in ("build", "test")), "")


def _is_build(check: Check, folder: Path) -> bool:
    """Say whether the check writes files that others read."""
    if _name_aspect(check) == "build":
        return True
    return any(
        program_name(call[0]) in _BUILD_TOOLS and _WRITES_NOTHING not in call
        for call in _list_calls(check, folder)
    )


def _names_folder(check: Check, folder: Path, name: str) -> bool:
    return any(
        PurePosixPath(word).parts[:1] == (name,)
        for call in _list_calls(check, folder)
        for word in call[1:]
    )


def _list_calls(check: Check, folder: Path) -> Iterator[list[str]]:
    """Yield the calls of the check's command; of `npm test` those of the script, too."""
    scripts = parse_package_scripts(_read(folder / "package.json"))
    for call in parse_calls(check.command):
        yield strip_launcher(call) or call
        for script in select_scripts(call, scripts):
            yield from (strip_launcher(inner) or inner for inner in parse_calls(script))


def _list_output_folders(folder: Path) -> list[str]:
    named = (
        name
        for path in sorted(folder.glob("tsconfig*.json"))
        for name in _OUT_DIR.findall(_read(path))
    )
    return list(dict.fromkeys((*_OUTPUT_FOLDERS, *(name for name in named if name != "."))))


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_LARGEST_FILE)
    except OSError:
        return ""
