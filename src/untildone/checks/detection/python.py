"""Python: pytest or unittest for tests, ruff and black for lint."""

import re
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from untildone.checks.detection.candidate import Candidate
from untildone.checks.detection.files import named_files
from untildone.checks.detection.manifest import first_existing, read_text, read_toml, table

_PYTEST_FILES = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml")
_PYTEST_SECTIONS = {"tox.ini": "[pytest]", "setup.cfg": "[tool:pytest]"}
_DEPENDENCY_FILES = ("requirements*.txt", "*requirements.txt", "Pipfile", "setup.py", "tox.ini")
_NAMES_PYTEST = re.compile(r"(?<![\w.-])pytest(?![\w.-])")
_IMPORTS_UNITTEST = re.compile(r"^\s*(?:import|from) (?:unittest|django\.test)\b", re.MULTILINE)
_IMPORTS_PYTEST = re.compile(r"^\s*(?:import|from) pytest\b", re.MULTILINE)
_ENVIRONMENTS = (".venv", "venv")
_FILES_READ = 200


def candidates(project: Path) -> Iterator[Candidate]:
    pyproject = read_toml(project / "pyproject.toml")
    yield from _tests(project, pyproject)
    yield from _ruff(project, pyproject or {})
    if "black" in table(pyproject, "tool"):
        yield Candidate(
            aspect="lint",
            tool="black",
            command=f"{_program(project, 'black')} --check .",
            reason="`black` is configured in `pyproject.toml`",
        )


def _ruff(project: Path, pyproject: dict[str, Any]) -> Iterator[Candidate]:
    file = first_existing(project, "ruff.toml", ".ruff.toml")
    own = read_toml(project / file) if file else None
    settings = own if own is not None else table(pyproject, "tool").get("ruff")
    if not isinstance(settings, dict):
        return
    reason = f"`ruff` is configured in `{file or 'pyproject.toml'}`"
    ruff = _program(project, "ruff")
    yield Candidate(aspect="lint", tool="ruff", command=f"{ruff} check .", reason=reason)
    if "format" in settings:
        yield Candidate(
            aspect="lint",
            tool="ruff-format",
            command=f"{ruff} format --check .",
            reason=f"{reason} with a section `format`",
        )


def _tests(project: Path, pyproject: dict[str, Any] | None) -> Iterator[Candidate]:
    if reason := _why_pytest(project, pyproject or {}):
        yield _pytest(project, reason)
        return
    files = list(islice(named_files(project, (".py",), prefix="test_"), _FILES_READ))
    sources = {file: read_text(project / file) or "" for file in files}
    if any(_IMPORTS_PYTEST.search(source) for source in sources.values()):
        yield _pytest(project, "the tests import `pytest`")
    elif found := next((f for f, text in sources.items() if _IMPORTS_UNITTEST.search(text)), ""):
        yield _unittest(project, found)
    elif files:
        yield _pytest(project, f"`{files[0]}` is a test file")
    elif pyproject is not None:
        yield _pytest(project, "`pyproject.toml` makes it a Python project")


def _why_pytest(project: Path, pyproject: dict[str, Any]) -> str:
    if file := first_existing(project, *_PYTEST_FILES):
        return f"`pytest` is configured in `{file}`"
    if "pytest" in table(pyproject, "tool"):
        return "`pytest` is configured in `pyproject.toml`"
    for file, section in _PYTEST_SECTIONS.items():
        if section in (read_text(project / file) or "").splitlines():
            return f"`pytest` is configured in `{file}`"
    if file := _conftest(project):
        return f"`{file}` is `pytest`'s"
    if _NAMES_PYTEST.search(read_text(project / "pyproject.toml") or ""):
        return "`pyproject.toml` names `pytest`"
    return _named_by_requirements(project)


def _conftest(project: Path) -> str:
    files = ("conftest.py", "tests/conftest.py", "test/conftest.py")
    return next((file for file in files if (project / file).is_file()), "")


def _named_by_requirements(project: Path) -> str:
    for pattern in _DEPENDENCY_FILES:
        for path in sorted(project.glob(pattern)):
            if _NAMES_PYTEST.search(read_text(path) or ""):
                return f"`{path.name}` names `pytest`"
    return ""


def _pytest(project: Path, reason: str) -> Candidate:
    python = _own_python(project)
    if python and _has_module(project / python.partition("/")[0], "pytest"):
        command = f"{python} -m pytest"
    else:
        command = "pytest" if shutil.which("pytest") else f"{_any_python()} -m pytest"
    return Candidate(aspect="test", tool="pytest", command=command, reason=reason)


def _unittest(project: Path, found: str) -> Candidate:
    python = _own_python(project) or _any_python()
    folder = found.rpartition("/")[0].partition("/")[0]
    # Discovery does not descend into a folder that is no package.
    start = "" if not folder or (project / folder / "__init__.py").is_file() else f" -s {folder}"
    return Candidate(
        aspect="test",
        tool="unittest",
        command=f"{python} -m unittest discover{start}",
        reason=f"`{found}` imports `unittest`",
    )


def _own_python(project: Path) -> str:
    paths = (
        f"{name}/{rest}" for name in _ENVIRONMENTS for rest in ("bin/python", "Scripts/python.exe")
    )
    return next((path for path in paths if (project / path).exists()), "")


def _has_module(environment: Path, name: str) -> bool:
    patterns = (f"lib/python3*/site-packages/{name}", f"Lib/site-packages/{name}")
    return any(True for pattern in patterns for _ in environment.glob(pattern))


def _program(project: Path, name: str) -> str:
    paths = (
        f"{env}/{rest}" for env in _ENVIRONMENTS for rest in (f"bin/{name}", f"Scripts/{name}.exe")
    )
    return next((path for path in paths if (project / path).exists()), name)


def _any_python() -> str:
    return "python3" if shutil.which("python3") and not shutil.which("python") else "python"
