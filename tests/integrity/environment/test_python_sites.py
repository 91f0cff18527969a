"""Folders that an interpreter takes packages from: an environment of its own knows no others."""

import subprocess
import sys
from pathlib import Path

import pytest

from untildone.integrity.environment.python_sites import find_site_folders


def made(top: Path, *options: str) -> tuple[Path, Path]:
    """An environment, and a home with packages of the person's own."""
    venv, home = top / "venv", top / "home"
    (home / ".local/lib/python3.11/site-packages").mkdir(parents=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", *options, venv], check=True)
    return venv / "bin" / "python", home


def installed(interpreter: Path, home: Path) -> set[str]:
    """By whose they are."""
    own, base = interpreter.parent.parent, interpreter.resolve().parent.parent
    places = {own: "own", base: "base", home: "user"}
    return {
        whose
        for folder in find_site_folders(interpreter, home)
        for place, whose in places.items()
        if folder.is_relative_to(place) and folder.name == "site-packages"
    }


def test_an_environment_of_its_own_has_its_own_packages_alone(tmp_path: Path) -> None:
    interpreter, home = made(tmp_path)
    (library,) = interpreter.resolve().parent.parent.glob("lib/python3*/os.py")

    assert installed(interpreter, home) == {"own"}
    assert library.parent in find_site_folders(interpreter, home)


def test_one_that_shares_has_those_it_is_made_of_too(tmp_path: Path) -> None:
    assert installed(*made(tmp_path, "--system-site-packages")) == {"own", "base", "user"}


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("bin/pyvenv.cfg", "include-system-site-packages = true\n"),
        ("pyvenv.cfg", "include-system-site-packages = false\ninclude-system-site-packages=TRUE\n"),
        ("pyvenv.cfg", "home = /usr/bin\n"),
    ],
)
def test_in_doubt_an_environment_shares(tmp_path: Path, place: str, text: str) -> None:
    interpreter, home = made(tmp_path)
    (tmp_path / "venv" / place).write_text(text, encoding="utf-8")

    assert installed(interpreter, home) == {"own", "base", "user"}


def test_an_interpreter_without_an_environment_has_them_all(tmp_path: Path) -> None:
    interpreter, home = made(tmp_path)
    (tmp_path / "venv" / "pyvenv.cfg").unlink()

    assert installed(interpreter, home) == {"own", "base", "user"}
