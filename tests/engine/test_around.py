"""What is not in the tree is asked about too: hidden checks, programs, installed packages."""

import os
import sys
from pathlib import Path

import pytest

from untildone.app import open_context
from untildone.checks.runner import RunOptions, run_checks
from untildone.core.contract import Check
from untildone.engine import stop
from untildone.engine.baseline_results import save_baseline_results
from untildone.engine.context import Context
from untildone.engine.loop_start import begin_loop
from untildone.engine.payload import Call
from untildone.engine.request import Request
from untildone.errors import UserError

SESSION = "5f0c2a9e-0000-4000-8000-00000000000b"
ENVIRON = {"AI_AGENT": "claude-code_2-1-325_harness", "CLAUDE_CODE_SESSION_ID": SESSION}
CHECK = f"{sys.executable} check.py"
TEST = "import shop, sys\nsys.exit(shop.price(100) != 90)\n"
WRONG = "def price(total):\n    return 90 if total > 99 else total\n"
RIGHT = "def price(total):\n    return total * 9 // 10 if total > 99 else total\n"
HIDDEN = "import sys\nsys.path.insert(0, '.')\nimport shop\nsys.exit(shop.price(200) != 180)\n"


class World:
    def __init__(self, folder: Path) -> None:
        self.project, self.folder = folder / "project", folder
        self.here: Context = open_context({**os.environ, **ENVIRON}, home=str(folder / "state"))
        self.loop = ""
        self.write(**{"check.py": TEST, "shop.py": "def price(total):\n    return total\n"})
        (folder / "hidden.py").write_text(HIDDEN, encoding="utf-8")

    def write(self, **files: str) -> None:
        for name, text in files.items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def start(self, oracle: Path | None = None) -> None:
        checks = (Check(name="check", command=CHECK),)
        asked = Request(session=SESSION, project=self.project, checks=checks, oracle=oracle)
        self.loop = begin_loop(self.here, asked).contract.id
        save_baseline_results(
            self.here, self.loop, run_checks(checks, RunOptions(project=self.project))
        )

    def stop(self) -> str:
        call = Call("Stop", "claude", "settings", str(self.here.home))
        call.environ = ENVIRON
        call.data = {"session_id": SESSION, "cwd": str(self.project), "prompt_id": "p1"}
        return stop.answer_stop(self.here, call)

    @property
    def outcome(self) -> str | None:
        return self.here.loops.load(self.loop).progress.outcome


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_a_hidden_check_is_asked_last_and_not_told_of(world: World) -> None:
    world.start(oracle=world.folder / "hidden.py")
    world.write(**{"shop.py": WRONG})

    told = world.stop()

    assert "a hidden check of the user does not pass" in told
    assert "hidden.py" not in told
    assert "180" not in told
    world.write(**{"shop.py": RIGHT})
    world.stop()
    assert world.outcome == "done"


def test_a_hidden_check_is_the_persons_to_give(world: World) -> None:
    checks = (Check(name="check", command=CHECK),)
    hidden = world.folder / "hidden.py"
    asked = Request(
        session=SESSION, project=world.project, checks=checks, oracle=hidden, by="agent"
    )

    with pytest.raises(UserError, match="`--oracle` can only be given by the user"):
        begin_loop(world.here, asked)


def test_a_package_changed_in_place_is_asked_about(world: World) -> None:
    package = {"package.json": "{}", "index.js": "1\n", "README.md": "one\n"}
    world.write(**{f"node_modules/one/{name}": text for name, text in package.items()})
    world.start()
    world.write(**{"shop.py": RIGHT, "node_modules/one/index.js": "22\n"})

    told = world.stop()

    assert "`node_modules/one/index.js` was changed" in told
    assert world.outcome is None


def test_nothing_around_changed_is_done(world: World) -> None:
    world.start()
    world.write(**{"shop.py": RIGHT})
    world.stop()

    assert world.outcome == "done"
