"""Tools that checks need and that are not installed, found by looking at files; nothing is run."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from untildone.checks.detection.python_environment import find_in_environment
from untildone.checks.install_commands import (
    name_cargo_install,
    name_node_install,
    name_python_install,
    name_system_install,
)
from untildone.commands.package_scripts import find_plain_script, parse_package_scripts
from untildone.commands.programs import PACKAGE_MANAGERS, split_words, strip_launcher
from untildone.commands.shell import program_name
from untildone.core.contract import Check
from untildone.process.command import parse_argv

_BIN = Path("node_modules", ".bin")
# `npx` must not download a tool: see `checks/detection/node.py`.
_INSTALLED_ONLY = ("npm_config_yes", "false")
_NODE_LAUNCHERS = frozenset(("npx", "bunx", "pnpx", "pnpm", "yarn", "npm"))
_SHELL = ["sh", "-c"]
_PACKAGES = ("lib/python3*/site-packages", "lib/python3/dist-packages", "Lib/site-packages")


class MissingTool(Struct, frozen=True, kw_only=True):
    """A tool that is not installed; `install` is the command that installs it, or empty.

    `place` is where the project's own environment has it, which the command does not name.
    """

    name: str
    install: str = ""
    place: str = ""

    @property
    def remedy(self) -> str:
        if self.place:
            return f"name it as `{self.place}`"
        return f"`{self.install}`" if self.install else f"install `{self.name}`"

    @property
    def text(self) -> str:
        """What is missing, with the remedy: `` `mypy` is not installed (`pip install mypy`) ``."""
        if self.place:
            return f"`{self.name}` is not on the search path (name it as `{self.place}`)"
        return f"`{self.name}` is not installed" + (f" (`{self.install}`)" if self.install else "")


def find_missing_tool(
    check: Check, project: Path, environ: Mapping[str, str]
) -> MissingTool | None:
    """Return the tool without which the check cannot run; None if it is there, or not known."""
    folder, path = project / check.cwd, environ.get("PATH")
    words = parse_argv(check.command)
    if not words or words[:2] == _SHELL:
        return None
    program = words[0]
    if not _is_program(program, folder, path):
        name = program_name(program)
        place = find_in_environment(folder, name) if program == name else ""
        install = "" if place else name_system_install(name, folder)
        return MissingTool(name=name, install=install, place=place)
    finders = (_find_node_tool, _find_script_tool, _find_python_module, _find_cargo_command)
    variables = check.env | {"PATH": path or os.environ.get("PATH", "")}
    found = (find(words, folder, variables) for find in finders)
    return next(filter(None, found), None)


def _is_program(word: str, folder: Path, path: str | None) -> bool:
    return shutil.which(word, path=path) is not None or (folder / word).is_file()


def _find_node_tool(
    words: list[str], folder: Path, environ: Mapping[str, str]
) -> MissingTool | None:
    """Find the missing tool of `npx eslint .`, where npx may not download it."""
    name, value = _INSTALLED_ONLY
    tool = next(iter(strip_launcher(words)), "")
    is_launched = program_name(words[0]) in _NODE_LAUNCHERS and tool != words[0]
    if not is_launched or environ.get(name) != value or _is_node_tool(tool, folder, environ):
        return None
    return MissingTool(name=tool, install=name_node_install(tool, folder))


def _is_node_tool(tool: str, folder: Path, environ: Mapping[str, str]) -> bool:
    folders = (parent / _BIN for parent in (folder, *folder.parents))
    installed = any((place / tool).exists() for place in folders)
    return installed or shutil.which(tool, path=environ.get("PATH")) is not None


def _find_script_tool(
    words: list[str], folder: Path, environ: Mapping[str, str]
) -> MissingTool | None:
    """Find the missing tool that a script begins with: `eslint` of `npm run lint`."""
    if program_name(words[0]) not in PACKAGE_MANAGERS:
        return None
    scripts = parse_package_scripts(_read(folder / "package.json"))
    script = find_plain_script(words, scripts)
    tool = next(iter(split_words(script)), "") if script else ""
    is_plain = bool(tool) and parse_argv(script)[:2] != _SHELL and "/" not in tool
    if not is_plain or _is_node_tool(tool, folder, environ):
        return None
    return MissingTool(name=tool, install=name_node_install(tool, folder))


def _find_python_module(
    words: list[str], folder: Path, environ: Mapping[str, str]
) -> MissingTool | None:
    """Find the missing module of `python -m mypy`, in the environment of that Python."""
    if not program_name(words[0]).startswith("python") or words[1:2] != ["-m"] or len(words) < 3:
        return None
    module = words[2].partition(".")[0]
    is_here = (folder / module).is_dir() or (folder / f"{module}.py").is_file()
    if is_here or module in sys.stdlib_module_names:
        return None
    python = folder / words[0] if "/" in words[0] else shutil.which(words[0], path=environ["PATH"])
    packages = list(_list_package_folders(Path(python or words[0])))
    found = any((place / name).exists() for place in packages for name in (module, f"{module}.py"))
    if found or not packages:
        return None
    return MissingTool(name=module, install=name_python_install(module, folder))


def _list_package_folders(python: Path) -> Iterator[Path]:
    """Yield the folders with packages of a virtual environment; of another Python none is known."""
    prefix = python.parent.parent
    if (prefix / "pyvenv.cfg").is_file():
        for pattern in _PACKAGES:
            yield from prefix.glob(pattern)


def _find_cargo_command(
    words: list[str], _: Path, environ: Mapping[str, str]
) -> MissingTool | None:
    """Find the missing program of `cargo clippy`, which is `cargo-clippy`."""
    commands = [word for word in words[1:] if not word.startswith("+")]
    install = name_cargo_install(commands[0]) if words[0] == "cargo" and commands else ""
    if not install or shutil.which(f"cargo-{commands[0]}", path=environ["PATH"]):
        return None
    return MissingTool(name=f"cargo-{commands[0]}", install=install)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
