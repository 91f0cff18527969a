"""Linters and type checkers that a Python project configures."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from untildone.checks.detection.candidate import Candidate
from untildone.checks.detection.project_files import find_first, get_table, read_text, read_toml
from untildone.checks.detection.python_environment import make_program_command

# The tool, its arguments, and its configuration files besides `pyproject.toml`.
_TOOLS = (
    ("black", " --check .", ()),
    ("pyright", "", ("pyrightconfig.json",)),
    ("basedpyright", "", ()),
    ("ty", " check", ("ty.toml",)),
)
_MYPY_FILES = ("mypy.ini", ".mypy.ini", "setup.cfg")
_MYPY_TARGETS = ("files", "packages", "modules")


def find_candidates(project: Path) -> Iterator[Candidate]:
    tools = get_table(read_toml(project / "pyproject.toml"), "tool")
    yield from _find_ruff(project, tools)
    yield from _find_mypy(project, tools)
    for tool, arguments, files in _TOOLS:
        file = find_first(project, *files) or ("pyproject.toml" if tool in tools else "")
        if file:
            yield _make_candidate(project, tool, arguments, f"`{tool}` is configured in `{file}`")


def _find_ruff(project: Path, tools: dict[str, Any]) -> Iterator[Candidate]:
    file = find_first(project, "ruff.toml", ".ruff.toml")
    settings = read_toml(project / file) if file else tools.get("ruff")
    if not isinstance(settings, dict):
        return
    reason = f"`ruff` is configured in `{file or 'pyproject.toml'}`"
    yield _make_candidate(project, "ruff", " check .", reason)
    if "format" in settings:
        yield Candidate(
            aspect="lint",
            tool="ruff-format",
            command=f"{make_program_command(project, 'ruff')} format --check .",
            reason=f"{reason} with a section `format`",
        )


def _find_mypy(project: Path, tools: dict[str, Any]) -> Iterator[Candidate]:
    """Yield `mypy` if it is configured, with a path if its settings name none."""
    for file in _MYPY_FILES:
        lines = (read_text(project / file) or "").splitlines()
        if "[mypy]" in lines:
            keys = {line.partition("=")[0].strip() for line in lines}
            break
    else:
        if "mypy" not in tools:
            return
        file, keys = "pyproject.toml", set(get_table(tools, "mypy"))
    everything = "" if keys.intersection(_MYPY_TARGETS) else " ."
    yield _make_candidate(project, "mypy", everything, f"`mypy` is configured in `{file}`")


def _make_candidate(project: Path, tool: str, arguments: str, reason: str) -> Candidate:
    command = f"{make_program_command(project, tool)}{arguments}"
    return Candidate(aspect="lint", tool=tool, command=command, reason=reason)
