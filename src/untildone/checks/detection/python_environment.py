"""Command lines that start the programs of a Python project."""

import shutil
from pathlib import Path

_ENVIRONMENTS = (".venv", "venv")
# How far above a package the environment of its repository may be.
_MAX_PARENTS = 4
# The lock file, its program, and how that starts another program without changing the lock.
_RUNNERS = (
    ("uv.lock", "uv", "uv run --frozen"),
    ("poetry.lock", "poetry", "poetry run"),
    ("pdm.lock", "pdm", "pdm run"),
    ("Pipfile.lock", "pipenv", "pipenv run"),
)


def make_program_command(project: Path, name: str) -> str:
    """Return a command that starts the program in the project's own environment, if any."""
    program = find_in_environment(project, name)
    return program or " ".join(filter(None, (_find_runner(project), name)))


def make_module_command(project: Path, name: str) -> str:
    """Return a command that prefers `python -m`, which adds the project to the import path."""
    python = find_project_python(project)
    if python and _has_module((project / python).parent.parent, name):
        return f"{python} -m {name}"
    if runner := _find_runner(project):
        return f"{runner} {name}"
    return name if shutil.which(name) else f"{find_any_python()} -m {name}"


def find_project_python(project: Path) -> str:
    return find_in_environment(project, "python")


def find_in_environment(project: Path, name: str) -> str:
    """Return the path of a program in the project's virtual environment; "" if it has none.

    A package of a repository may use the environment at the repository's top.
    """
    paths = (
        f"{up}{folder}/{rest}"
        for up in _list_ways_up(project)
        for folder in _ENVIRONMENTS
        for rest in (f"bin/{name}", f"Scripts/{name}.exe")
    )
    return next((path for path in paths if (project / path).exists()), "")


def _list_ways_up(project: Path) -> list[str]:
    """Return "", "../" and so on up to the top of the repository; only "" outside of one."""
    ways = ["../" * count for count in range(_MAX_PARENTS + 1)]
    tops = (count for count, up in enumerate(ways, 1) if (project / up / ".git").exists())
    return ways[: next(tops, 1)]


def find_any_python() -> str:
    return "python3" if shutil.which("python3") and not shutil.which("python") else "python"


def _find_runner(project: Path) -> str:
    for file, name, words in _RUNNERS:
        if (project / file).is_file() and shutil.which(name):
            return words
    return ""


def _has_module(environment: Path, name: str) -> bool:
    patterns = (f"lib/python3*/site-packages/{name}", f"Lib/site-packages/{name}")
    return any(True for pattern in patterns for _ in environment.glob(pattern))
