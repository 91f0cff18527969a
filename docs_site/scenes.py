"""The terminal scenes of the docs: real commands in a fresh home, recorded in a real terminal.

The scene `session` has the real Claude Code client; its model is the scripted one of the tests.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from docs_site.pages import ROOT
from docs_site.picture import draw_screen
from docs_site.terminal import record_commands, trim_screen

_PICTURES = ROOT / "docs" / "pictures"
_BIN = Path(sys.executable).parent
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# The project of docs/five-minutes.md.
FERRY = {
    "ferry.py": "def fare(age):\n    return 12\n",
    "test_ferry.py": (
        "import unittest\n\nfrom ferry import fare\n\n\nclass Fares(unittest.TestCase):\n"
        "    def test_adults_pay_twelve(self):\n        self.assertEqual(fare(30), 12)\n\n"
        "    def test_youths_pay_half(self):\n        self.assertEqual(fare(15), 6)\n"
    ),
}
FIXED = "def fare(age):\n    return 6 if age < 18 else 12\n"


class Machine(NamedTuple):
    """A home and a project that nothing else uses."""

    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "you"

    @property
    def project(self) -> Path:
        return self.home / "ferry"

    @property
    def environ(self) -> dict[str, str]:
        return {
            "PATH": os.pathsep.join((str(_BIN), "/usr/bin", "/bin")),
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
        }

    def prepare(self) -> None:
        self.project.mkdir(parents=True)
        for name, text in FERRY.items():
            (self.project / name).write_text(text, encoding="utf-8")
        self.run("git", "init", "-q")

    def run(self, *argv: str) -> None:
        subprocess.run(argv, cwd=self.project, env=self.environ, check=True, capture_output=True)

    def record(self, *commands: str, columns: int = 90) -> str:
        screen = record_commands(commands, cwd=self.project, environ=self.environ, columns=columns)
        return screen.replace(str(self.home), "/home/you")


def _record_demo(machine: Machine) -> str:
    # The receipt below the scene is as long as the scene.
    return _cut(machine.record("untildone demo"), "$ ", "receipt", keep_last=False)


def _record_install(machine: Machine) -> str:
    return machine.record("untildone init --agent claude", "untildone drill", columns=110)


def _record_check(machine: Machine) -> str:
    return machine.record("untildone detect", "untildone check")


def _record_doctor(machine: Machine) -> str:
    return machine.record("untildone doctor", columns=100)


def _record_session(machine: Machine) -> str:
    # Only this scene needs the tests: `make scenes` has them on its path.
    from client.harness import Client, allow
    from client.model_server import ModelServer
    from client.script import Call, Step
    from client.terminal import READY, Terminal

    machine.run(str(_BIN / "untildone"), "init", "--agent", "claude")
    file = str(machine.project / "ferry.py")
    steps: list[Step] = [
        "The fare looks right to me. Done!",
        Call("Write", {"file_path": file, "content": FIXED}),
        "Youths pay half now.",
    ]
    with ModelServer(steps) as server:
        client = Client(home=machine.home, project=machine.project, server=server, path=(_BIN,))
        tools = allow("Bash", "Write", "Edit", "Read")
        with Terminal(client, *tools, columns=100) as terminal:
            terminal.wait_until_ready()
            terminal.submit("/untildone:test Youths under 18 pay half the fare")
            terminal.wait_for("done after", timeout=90)
            terminal.wait_until_idle()
            screen = terminal.screen(history=True, colours=True)
    # Few fonts have the bracket that the client draws.
    screen = screen.replace("\u23bf", "\u2514")
    return _cut(screen, f"{READY} /untildone", "receipt.md")


def _cut(screen: str, first: str, last: str, *, keep_last: bool = True) -> str:
    """Return the lines from the one with `first` to the next one with `last`."""
    lines = screen.split("\n")
    plain = [_COLOUR.sub("", line) for line in lines]
    start = next(number for number, line in enumerate(plain) if first in line)
    end = next(n for n, line in enumerate(plain) if n > start and last in line)
    return trim_screen("\n".join(lines[start : end + keep_last]))


class Scene(NamedTuple):
    title: str
    record: Callable[[Machine], str]


SCENES = {
    "demo": Scene("untildone demo: an agent is held twice and released when done", _record_demo),
    "install": Scene("untildone init and untildone drill", _record_install),
    "check": Scene("untildone detect and untildone check in a small project", _record_check),
    "doctor": Scene("untildone doctor before untildone init was run", _record_doctor),
    "session": Scene("Claude Code is held until the tests pass", _record_session),
}


def record_scenes(names: tuple[str, ...]) -> int:
    for name in names or SCENES:
        scene = SCENES[name]
        with tempfile.TemporaryDirectory(prefix="scene-") as folder:
            machine = Machine(Path(folder))
            machine.prepare()
            screen = scene.record(machine)
        file = _PICTURES / f"terminal-{name}.svg"
        file.write_text(draw_screen(screen, title=scene.title), encoding="utf-8")
        print(f"{file.relative_to(ROOT)}\n{_COLOUR.sub('', screen)}")
    return 0
