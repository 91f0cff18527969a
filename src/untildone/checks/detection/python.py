"""Tests of Python projects: pytest or unittest, else tox or nox."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from untildone.checks.detection import project_files, python_environment
from untildone.checks.detection.candidate import Candidate
from untildone.core.late_patterns import compile_late

_PYTEST_FILES = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml")
_PYTEST_SECTIONS = {"tox.ini": "[pytest]", "setup.cfg": "[tool:pytest]"}
_CONFTEST_FILES = ("conftest.py", "tests/conftest.py", "test/conftest.py")
_DEPENDENCY_FILES = ("requirements*.txt", "*requirements.txt", "Pipfile", "setup.py", "tox.ini")
_NAMES_PYTEST = compile_late(r"(?<![\w.-])pytest(?![\w.-])")
_IMPORTS_UNITTEST = compile_late(r"(?m)^[ \t]*(?:import|from) (?:unittest|django\.test)\b")
_IMPORTS_PYTEST = compile_late(r"(?m)^[ \t]*(?:import|from) pytest\b")
# @nox.session(python=["3.11", "3.12"])
# def tests(session):
_NOX_SESSION = compile_late(r"(?m)^@nox\.session\b[^\n]*\ndef (?P<name>tests?)\(")
_FILES_READ = 200


def find_candidates(project: Path) -> Iterator[Candidate]:
    pyproject = project_files.read_toml(project / "pyproject.toml")
    if reason := _explain_pytest(project, pyproject or {}):
        yield _make_pytest(project, reason)
        return
    files = list(
        islice(project_files.find_files_by_ending(project, (".py",), prefix="test_"), _FILES_READ)
    )
    sources = {file: project_files.read_text(project / file) or "" for file in files}
    if any(_IMPORTS_PYTEST.search(source) for source in sources.values()):
        yield _make_pytest(project, "the tests import `pytest`")
    elif found := next((f for f, text in sources.items() if _IMPORTS_UNITTEST.search(text)), ""):
        yield _make_unittest(project, found)
    elif files:
        yield _make_pytest(project, f"`{files[0]}` is a test file")
    elif runner := _make_runner(project, pyproject or {}):
        yield runner
    elif pyproject is not None:
        yield _make_pytest(project, "`pyproject.toml` makes it a Python project")


def _explain_pytest(project: Path, pyproject: dict[str, Any]) -> str:
    """Return why the project seems to use pytest; "" if nothing says so."""
    if file := project_files.find_first(project, *_PYTEST_FILES):
        return f"`pytest` is configured in `{file}`"
    if "pytest" in project_files.get_table(pyproject, "tool"):
        return "`pytest` is configured in `pyproject.toml`"
    for file, section in _PYTEST_SECTIONS.items():
        if section in (project_files.read_text(project / file) or "").splitlines():
            return f"`pytest` is configured in `{file}`"
    if file := project_files.find_first(project, *_CONFTEST_FILES):
        return f"`{file}` belongs to `pytest`"
    if _NAMES_PYTEST.search(project_files.read_text(project / "pyproject.toml") or ""):
        return "`pyproject.toml` names `pytest`"
    for pattern in _DEPENDENCY_FILES:
        for path in sorted(project.glob(pattern)):
            if _NAMES_PYTEST.search(project_files.read_text(path) or ""):
                return f"`{path.name}` names `pytest`"
    return ""


def _make_pytest(project: Path, reason: str) -> Candidate:
    return Candidate(
        aspect="test",
        tool="pytest",
        command=python_environment.make_module_command(project, "pytest"),
        reason=reason,
    )


def _make_unittest(project: Path, found: str) -> Candidate:
    python = python_environment.find_project_python(project) or python_environment.find_any_python()
    folder = found.rpartition("/")[0].partition("/")[0]
    # Discovery does not search folders that are no packages.
    start = "" if not folder or (project / folder / "__init__.py").is_file() else f" -s {folder}"
    return Candidate(
        aspect="test",
        tool="unittest",
        command=f"{python} -m unittest discover{start}",
        reason=f"`{found}` imports `unittest`",
    )


def _make_runner(project: Path, pyproject: dict[str, Any]) -> Candidate | None:
    """Return tox or nox, which are the last choice because they create environments first."""
    session = _NOX_SESSION.search(project_files.read_text(project / "noxfile.py") or "")
    if file := _find_tox_file(project, pyproject):
        tool, arguments, reason = "tox", "", f"`tox` is configured in `{file}`"
    elif session:
        tool, arguments = "nox", f" -s {session['name']}"
        reason = f"`noxfile.py` has a session `{session['name']}`"
    else:
        return None
    command = f"{python_environment.make_program_command(project, tool)}{arguments}"
    return Candidate(aspect="test", tool=tool, command=command, reason=reason)


def _find_tox_file(project: Path, pyproject: dict[str, Any]) -> str:
    if "tox" in project_files.get_table(pyproject, "tool"):
        return "pyproject.toml"
    lines = (project_files.read_text(project / "tox.ini") or "").splitlines()
    return "tox.ini" if "[testenv]" in lines else ""
