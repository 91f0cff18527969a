"""The folders that an interpreter loads packages from."""

import subprocess
import sys
from pathlib import Path

import pytest

from untildone.integrity.environment.python_sites import find_site_folders


def make_environment(top: Path, *options: str) -> tuple[Path, Path]:
    """Return an interpreter in a virtual environment, and a home with packages of its own."""
    venv, home = top / "venv", top / "home"
    (home / ".local/lib/python3.11/site-packages").mkdir(parents=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", *options, venv], check=True)
    return venv / "bin" / "python", home


def find_owners(interpreter: Path, home: Path) -> set[str]:
    """Return whose folders of packages the interpreter uses."""
    own, base = interpreter.parent.parent, interpreter.resolve().parent.parent
    places = {own: "own", base: "base", home: "user"}
    return {
        whose
        for folder in find_site_folders(interpreter, home)
        for place, whose in places.items()
        if folder.is_relative_to(place) and folder.name == "site-packages"
    }


def test_an_isolated_environment_has_only_its_own_packages(tmp_path: Path) -> None:
    interpreter, home = make_environment(tmp_path)
    (library,) = interpreter.resolve().parent.parent.glob("lib/python3*/os.py")

    assert find_owners(interpreter, home) == {"own"}
    assert library.parent in find_site_folders(interpreter, home)


def test_an_environment_that_shares_has_those_of_its_base_too(tmp_path: Path) -> None:
    assert find_owners(*make_environment(tmp_path, "--system-site-packages")) == {
        "own",
        "base",
        "user",
    }


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("bin/pyvenv.cfg", "include-system-site-packages = true\n"),
        ("pyvenv.cfg", "include-system-site-packages = false\ninclude-system-site-packages=TRUE\n"),
        ("pyvenv.cfg", "home = /usr/bin\n"),
    ],
)
def test_an_unclear_environment_counts_as_sharing(tmp_path: Path, place: str, text: str) -> None:
    interpreter, home = make_environment(tmp_path)
    (tmp_path / "venv" / place).write_text(text, encoding="utf-8")

    assert find_owners(interpreter, home) == {"own", "base", "user"}


def test_an_interpreter_without_an_environment_has_all_packages(tmp_path: Path) -> None:
    interpreter, home = make_environment(tmp_path)
    (tmp_path / "venv" / "pyvenv.cfg").unlink()

    assert find_owners(interpreter, home) == {"own", "base", "user"}
