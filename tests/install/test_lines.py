"""The installed lines as the shell reads them, wherever the interpreter lies."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from untildone.install.commands import lines, plugin_program, settings_program

ODD = "my env $(x)"
PROGRAMS = {
    "settings": settings_program(
        home=Path("/a b/it's"), python=Path("/c d/py thon"), package=Path("/e 'f'/untildone")
    ),
    "plugin": plugin_program(),
}


@pytest.mark.parametrize("source", PROGRAMS)
def test_every_line_is_sound_shell(source: str) -> None:
    for line in lines(PROGRAMS[source]).values():
        checked = subprocess.run(["sh", "-n", "-c", line], capture_output=True, check=False)
        assert (checked.returncode, checked.stderr) == (0, b"")


def test_an_interpreter_in_a_folder_with_odd_characters_holds(tmp_path: Path) -> None:
    environment = tmp_path / ODD
    environment.symlink_to(Path(sys.prefix), target_is_directory=True)
    home = tmp_path / "home"
    home.mkdir()
    environ = {"HOME": str(home), "PATH": os.defpath, "LANG": "C.UTF-8"}
    python = str(environment / "bin" / "python")

    for command in ("init", "drill"):
        done = subprocess.run(
            [python, "-m", "untildone", command],
            cwd=tmp_path,
            env=environ,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert ODD in (home / ".claude" / "settings.json").read_text(encoding="utf-8")
