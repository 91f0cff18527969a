"""Packages that share one top: a script that only they have, run in all of them from there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from untildone.checks.detection.manifest import get_table, read_json

_EVERYWHERE = {
    "npm": "npm run {} --workspaces --if-present",
    "pnpm": "pnpm --recursive run {}",
    "yarn": "yarn workspaces foreach --all run {}",
    "bun": "bun run --filter '*' {}",
}
# The old yarn knows no other way, and fails where a package lacks the script.
_OLD_YARN = "yarn workspaces run {}"
_MOST = 500


def read_member_scripts(project: Path, package: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The scripts of each package by its folder; nothing where there is no more than the top."""
    patterns = [*_patterns(project, package)]
    left_out = {
        place
        for pattern in patterns
        if pattern.startswith("!")
        for place in _matching(project, pattern[1:])
    }
    places = {
        place
        for pattern in patterns
        if not pattern.startswith("!")
        for place in _matching(project, pattern)
    }
    return {
        place.relative_to(project).as_posix(): get_table(
            read_json(place / "package.json"), "scripts"
        )
        for place in sorted(places - left_out)[:_MOST]
    }


def make_workspace_command(project: Path, name: str, *, manager: str, missing: bool) -> str:
    """The command that runs the script in all packages; "" where some lack it and that fails."""
    if manager == "yarn" and not (project / ".yarnrc.yml").is_file():
        return "" if missing else _OLD_YARN.format(name)
    return _EVERYWHERE[manager].format(name)


def _patterns(project: Path, package: dict[str, Any]) -> Iterator[str]:
    named = package.get("workspaces")
    listed = named.get("packages") if isinstance(named, dict) else named
    if listed is None:
        listed = _of_pnpm(project / "pnpm-workspace.yaml")
    for pattern in listed if isinstance(listed, list) else ():
        text = str(pattern).removeprefix("./").rstrip("/")
        if text and not Path(text.lstrip("!")).is_absolute() and ".." not in text:
            yield text


def _of_pnpm(file: Path) -> object:
    try:
        read = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError):
        return None
    return read.get("packages") if isinstance(read, dict) else None


def _matching(project: Path, pattern: str) -> Iterator[Path]:
    for place in project.glob(f"{pattern}/package.json"):
        if "node_modules" not in place.parts:
            yield place.parent
