"""The order of checks: a build runs before the tests that read its output.

With the checks `build` (`tsc`) and `test` (`node --test dist/`) the tests must not read the `dist`
of yesterday. The configuration may name the order (`after = ["build"]`); else it is inferred from
the checks' names, and from commands that name a folder which a build writes.
"""

from collections.abc import Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from untildone.commands.package_scripts import parse_package_scripts, select_scripts
from untildone.commands.programs import strip_launcher
from untildone.commands.shell import parse_calls, program_name
from untildone.core.contract import Check
from untildone.core.late_patterns import compile_late

# Folders that builds usually write, beside those that `tsconfig.json` names.
_OUTPUT_FOLDERS = ("dist", "build", "out")
# "outDir": "./lib", also in a file with comments
_OUT_DIR = compile_late(r'"(?:outDir|outFile|declarationDir)"\s*:\s*"(?:\./)?([^"/]+)')
_BUILD_TOOLS = frozenset(
    ("tsc", "vite", "webpack", "rollup", "esbuild", "tsup", "parcel", "swc", "babel", "unbuild")
)
# `tsc --noEmit` checks types and writes nothing.
_WRITES_NOTHING = "--noEmit"
_LARGEST_FILE = 1_000_000


class _Order(NamedTuple):
    """What the order of a check depends on.

    `outputs` are the folders that builds in the check's folder write, `read` those of them that
    its command names, as `dist` in `node --test dist/`.
    """

    aspect: str
    is_build: bool
    outputs: tuple[str, ...]
    read: tuple[str, ...]


def find_prerequisites(checks: Sequence[Check], project: Path) -> list[frozenset[int]]:
    """Return for each check the indexes of those that must have run before it."""
    if len(checks) < 2:
        return [frozenset() for _ in checks]
    pairs = [(check, _read_order(check, project)) for check in checks]
    found = [
        frozenset(
            index
            for index, (other, other_order) in enumerate(pairs)
            if other is not check and _comes_before(other, other_order, check, order)
        )
        for check, order in pairs
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
    """Return the existing folders that the check writes as a build, or that its command names."""
    order = _read_order(check, project)
    folder = project / check.cwd
    names = order.outputs if order.is_build else order.read
    return [folder / name for name in names if (folder / name).is_dir()]


def _comes_before(other: Check, other_order: _Order, check: Check, order: _Order) -> bool:
    if check.after:
        return other.name in check.after
    if other.cwd != check.cwd or order.aspect == "build":
        return False
    if other_order.aspect == "build" and order.aspect == "test":
        return True
    return other_order.is_build and not order.is_build and bool(order.read)


def _read_order(check: Check, project: Path) -> _Order:
    folder = project / check.cwd
    calls = list(_list_calls(check, folder))
    outputs = _list_output_folders(folder)
    words = {PurePosixPath(word).parts[:1] for call in calls for word in call[1:]}
    aspect = _name_aspect(check)
    return _Order(
        aspect=aspect,
        is_build=aspect == "build" or any(map(_writes_output, calls)),
        outputs=outputs,
        read=tuple(name for name in outputs if (name,) in words),
    )


def _writes_output(call: Sequence[str]) -> bool:
    return program_name(call[0]) in _BUILD_TOOLS and _WRITES_NOTHING not in call


def _name_aspect(check: Check) -> str:
    """Return `test` for checks named `test`, `test:pytest` and, in the folder `web`, `web:test`."""
    words = check.name.split(":")
    return next((word for word in words if word in ("build", "test")), "")


def _list_calls(check: Check, folder: Path) -> Iterator[list[str]]:
    """Yield the calls of the check's command; of `npm test` those of the script, too."""
    scripts = parse_package_scripts(_read(folder / "package.json"))
    for call in parse_calls(check.command):
        yield strip_launcher(call) or call
        for script in select_scripts(call, scripts):
            yield from (strip_launcher(inner) or inner for inner in parse_calls(script))


def _list_output_folders(folder: Path) -> tuple[str, ...]:
    named = (
        name
        for path in sorted(folder.glob("tsconfig*.json"))
        for name in _OUT_DIR.findall(_read(path))
    )
    return tuple(dict.fromkeys((*_OUTPUT_FOLDERS, *(name for name in named if name != "."))))


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_LARGEST_FILE)
    except OSError:
        return ""
