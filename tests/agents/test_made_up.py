"""A further agent is one package and its name in one table."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import untildone
from agents.made_up import FILES


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A copy of untildone that knows Ferris."""
    package = tmp_path / "src" / "untildone"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(untildone.__file__).parent, package, ignore=ignored)
    folder = package / "agents" / "ferris"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    add_line(package / "agents" / "__init__.py", 'NAMES = ("claude", ', '"ferris", ')
    return package.parent


def add_line(path: Path, after: str, line: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(after) == 1
    path.write_text(text.replace(after, after + line), encoding="utf-8")


def test_it_is_installed_held_and_released_by_that_alone(tmp_path: Path, program: Path) -> None:
    def run(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "untildone", *arguments],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(program)},
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert run("init", "--agent", "ferris").startswith("for Ferris\n")
    assert run("drill").splitlines()[-1] == (
        "12 of 12 passed: the installed hook holds and releases"
    )
    run("uninstall")
    assert not (tmp_path / ".ferris").exists()
