"""Workspaces: how a script runs in all member packages from the root."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from untildone.checks.detection.project_files import get_table, read_json

_RUN_IN_ALL = {
    "npm": "npm run {} --workspaces --if-present",
    "pnpm": "pnpm --recursive run {}",
    "yarn": "yarn workspaces foreach --all run {}",
    "bun": "bun run --filter '*' {}",
}
# The only way of yarn 1; it fails if a package lacks the script.
_YARN_1 = "yarn workspaces run {}"
_MOST_MEMBERS = 500


def read_member_scripts(project: Path, package: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the scripts of each member by folder; empty if there are no members."""
    included: set[Path] = set()
    excluded: set[Path] = set()
    for pattern in _read_patterns(project, package):
        folders = excluded if pattern.startswith("!") else included
        files = project.glob(f"{pattern.removeprefix('!')}/package.json")
        folders.update(file.parent for file in files if "node_modules" not in file.parts)
    return {
        folder.relative_to(project).as_posix(): get_table(
            read_json(folder / "package.json"), "scripts"
        )
        for folder in sorted(included - excluded)[:_MOST_MEMBERS]
    }


def make_workspace_command(project: Path, name: str, *, manager: str, missing: bool) -> str:
    """Return the command that runs the script in all members; "" if `missing` ones break it."""
    if manager == "yarn" and not (project / ".yarnrc.yml").is_file():
        return "" if missing else _YARN_1.format(name)
    return _RUN_IN_ALL[manager].format(name)


def _read_patterns(project: Path, package: dict[str, Any]) -> Iterator[str]:
    workspaces = package.get("workspaces")
    patterns = workspaces.get("packages") if isinstance(workspaces, dict) else workspaces
    if patterns is None:
        patterns = _read_pnpm_patterns(project / "pnpm-workspace.yaml")
    for pattern in patterns if isinstance(patterns, list) else ():
        text = str(pattern).removeprefix("./").rstrip("/")
        # A pattern that leads out of the project is ignored.
        if text and not Path(text.lstrip("!")).is_absolute() and ".." not in text:
            yield text


def _read_pnpm_patterns(file: Path) -> object:
    try:
        settings = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError):
        return None
    return settings.get("packages") if isinstance(settings, dict) else None
