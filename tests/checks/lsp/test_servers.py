"""Selection of the language server for a file."""

import os
from pathlib import Path

import pytest

from untildone.checks.lsp.servers import SERVERS, make_settings, select_servers


class Machine:
    """A project, and a folder of programs outside of it."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.elsewhere = folder / "bin"

    def program(self, name: str, *, folder: str = "") -> None:
        place = self.project / folder if folder else self.elsewhere
        place.mkdir(parents=True, exist_ok=True)
        path = place / (f"{name}.exe" if os.name == "nt" else name)
        path.write_text("#!/bin/sh\n", encoding="ascii")
        path.chmod(0o755)

    def file(self, name: str, text: str = "") -> None:
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def chosen(self, suffix: str = ".py") -> list[list[str]]:
        """Names, with the folder of the program."""
        found = select_servers(self.project, suffix, path=str(self.elsewhere))
        return [[one.server.name, Path(one.program).parent.name] for one in found]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_nothing_is_asked_where_nothing_is_installed(machine: Machine) -> None:
    assert machine.chosen() == []


def test_what_the_project_does_not_use_is_not_asked(machine: Machine) -> None:
    for name in ("ruff", "pyright-langserver", "ty", "pyrefly"):
        machine.program(name)

    assert machine.chosen() == []


def test_a_linter_and_one_type_checker_are_asked(machine: Machine) -> None:
    for name in ("ruff", "pyright-langserver", "ty", "pyrefly"):
        machine.program(name)
    machine.file("ruff.toml")
    machine.file("pyproject.toml", "[tool.pyright]\n[tool.ty]\n")

    assert machine.chosen() == [["ruff", "bin"], ["pyright", "bin"]]
    assert machine.chosen(".pyi") == [["ruff", "bin"], ["pyright", "bin"]]
    assert machine.chosen(".rs") == []


@pytest.mark.parametrize("folder", [".venv/bin", "venv/bin", "node_modules/.bin"])
def test_what_the_project_has_installed_goes_first(folder: str, machine: Machine) -> None:
    machine.program("basedpyright-langserver")
    machine.program("pyrefly", folder=folder)

    assert machine.chosen() == [["pyrefly", Path(folder).name]]


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        (".ruff.toml", "", "ruff"),
        ("pyproject.toml", "[tool.ruff]\n", "ruff"),
        ("pyproject.toml", "[tool.ty.rules]\n", "ty"),
        ("pyproject.toml", "[tool.pyrefly]\n", "pyrefly"),
        ("pyrefly.toml", "", "pyrefly"),
        ("ty.toml", "", "ty"),
        ("pyrightconfig.json", "{}", "basedpyright"),
        ("pyproject.toml", "[tool.pyright]\n", "pyright"),
    ],
)
def test_what_the_project_configures_goes_first(
    file: str, text: str, expected: str, machine: Machine
) -> None:
    for name in ("ruff", "basedpyright-langserver", "pyright-langserver", "ty", "pyrefly"):
        machine.program(name)
    machine.file(file, text)

    assert machine.chosen() == [[expected, "bin"]]


def test_a_broken_manifest_configures_nothing(machine: Machine) -> None:
    machine.program("ruff")
    machine.file("pyproject.toml", "broken")

    assert machine.chosen() == []


@pytest.mark.parametrize(
    ("version", "asked"), [("7.0.2", True), ("10.1.0", True), ("6.0.3", False), ("x", False)]
)
def test_typescript_has_a_server_since_its_version_7(
    version: str, asked: bool, machine: Machine
) -> None:
    machine.program("tsc", folder="node_modules/.bin")
    machine.file("node_modules/typescript/package.json", f'{{"version": "{version}"}}')

    assert machine.chosen(".tsx") == ([["tsc", ".bin"]] if asked else [])


def test_typescript_is_the_projects_own_or_none(machine: Machine) -> None:
    machine.program("tsc")
    machine.file("node_modules/typescript/package.json", '{"version": "7.0.2"}')

    assert machine.chosen(".ts") == []


def test_each_server_has_its_own_name() -> None:
    names = [server.name for server in SERVERS]

    assert sorted(set(names)) == sorted(names)


def test_a_server_gets_the_projects_own_python(machine: Machine) -> None:
    machine.file(".venv/bin/python")

    assert make_settings(machine.project, "python") == {
        "pythonPath": str(machine.project / ".venv/bin/python"),
        "pyrefly": {"displayTypeErrors": "force-on"},
    }
    assert make_settings(machine.project, "editor") is None
