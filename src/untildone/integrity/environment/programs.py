"""Which programs a check comes to: the words of its command, followed through npm's scripts."""

import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from untildone.commands.shell import bare, calls

_MANAGERS = frozenset(("npm", "pnpm", "yarn", "bun"))
_BUILT_IN = frozenset(("test", "start", "stop", "restart"))
_DEEPEST = 4
# Words of a shell, not programs.
_SHELL = frozenset(
    (
        *("cd", "export", "set", "unset", "exit", "trap", ":", ".", "source", "wait", "eval"),
        *("for", "done", "fi", "case", "esac", "in", "shift", "return", "read", "alias"),
    )
)


class Program(Struct, frozen=True):
    """`place` is where it was found first; `modules` are what an interpreter is told to run."""

    name: str
    place: str
    modules: tuple[str, ...] = ()


def programs(
    project: Path, commands: Iterable[str], environ: Mapping[str, str]
) -> Iterator[Program]:
    """Each once, with the place a shell would find it at; empty if nowhere."""
    seen: set[str] = set()
    for command, within_npm in followed(project, commands):
        folders = [*_binaries(project)] if within_npm else []
        path = os.pathsep.join((*folders, environ.get("PATH", "")))
        for call in calls(command):
            name = call[0]
            if name in _SHELL or "$" in name or name in seen:
                continue
            seen.add(name)
            yield Program(name, _found(name, project, path), _modules(call))


def followed(project: Path, commands: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """The commands, and the scripts of `package.json` that they lead to."""
    scripts = of_package(project, "scripts")
    waiting = [(command, False, 0) for command in commands]
    done: set[str] = set()
    while waiting:
        command, within_npm, depth = waiting.pop(0)
        if command in done or depth > _DEEPEST:
            continue
        done.add(command)
        yield command, within_npm
        for name in _asked_of_npm(command):
            for each in (f"pre{name}", name, f"post{name}"):
                if isinstance(script := scripts.get(each), str):
                    waiting.append((script, True, depth + 1))


def of_package(project: Path, field: str) -> dict[str, object]:
    """What `package.json` says there; nothing where it cannot be read."""
    try:
        package = json.loads((project / "package.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    held = package.get(field) if isinstance(package, dict) else None
    return held if isinstance(held, dict) else {}


def _asked_of_npm(command: str) -> Iterator[str]:
    for call in calls(command):
        words = [word for word in call[1:] if not word.startswith("-")]
        if bare(call[0]) not in _MANAGERS or not words:
            continue
        if words[0] in ("run", "run-script") and len(words) > 1:
            yield words[1]
        elif words[0] in _BUILT_IN or bare(call[0]) != "npm":
            yield {"t": "test"}.get(words[0], words[0])


def _binaries(project: Path) -> Iterator[str]:
    """As npm does: of the folder and of every one above it."""
    for folder in (project, *project.parents):
        yield str(folder / "node_modules" / ".bin")


def _found(name: str, project: Path, path: str) -> str:
    if os.sep in name or "/" in name:
        place = project / name
        return str(place) if place.exists() else ""
    return shutil.which(name, path=path) or ""


def _modules(call: list[str]) -> tuple[str, ...]:
    if not re.fullmatch(r"(python|pypy)[\d.]*", bare(call[0])):
        return ()
    return tuple(call[at + 1] for at, word in enumerate(call[:-1]) if word == "-m")[:1]
