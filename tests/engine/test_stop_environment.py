"""What lies outside the tree is compared at a stop too: hidden checks, programs, packages."""

import sys

import pytest

from untildone.core.contract import Check
from untildone.engine.loop_start import begin_loop
from untildone.errors import UserError
from world import World, shown

CHECK = f"{sys.executable} check.py"
TEST = "import shop, sys\nsys.exit(shop.price(100) != 90)\n"
WRONG = "def price(total):\n    return 90 if total > 99 else total\n"
RIGHT = "def price(total):\n    return total * 9 // 10 if total > 99 else total\n"
HIDDEN = """\
import sys
sys.path.insert(0, '.')
import shop
sys.exit(shop.price(200) != 180)
"""


@pytest.fixture
def world(world: World) -> World:
    world.write_all({"check.py": TEST, "shop.py": "def price(total):\n    return total\n"})
    (world.folder / "hidden.py").write_text(HIDDEN, encoding="utf-8")
    return world


def test_a_hidden_check_runs_last_and_is_not_revealed(world: World) -> None:
    world.start_check(CHECK, oracle=world.folder / "hidden.py")
    world.write_all({"shop.py": WRONG})

    reported = shown(world.stop())

    assert "a hidden check of the user does not pass" in reported
    assert "hidden.py" not in reported
    assert "180" not in reported
    world.write_all({"shop.py": RIGHT})
    world.stop()
    assert world.outcome == "done"


def test_only_the_user_can_give_a_hidden_check(world: World) -> None:
    checks = (Check(name="check", command=CHECK),)
    hidden = world.folder / "hidden.py"
    request = world.request(checks=checks, oracle=hidden, by="agent")

    with pytest.raises(UserError, match="`--oracle` can only be given by the user"):
        begin_loop(world.context, request)


def test_a_package_changed_in_place_is_asked_about(world: World) -> None:
    package = {"package.json": "{}", "index.js": "1\n", "README.md": "one\n"}
    world.write_all({f"node_modules/one/{name}": text for name, text in package.items()})
    world.start_check(CHECK)
    world.write_all({"shop.py": RIGHT, "node_modules/one/index.js": "22\n"})

    reported = shown(world.stop())

    assert "`node_modules/one/index.js` was changed" in reported
    assert world.outcome is None


def test_a_loop_without_changed_packages_is_done(world: World) -> None:
    world.start_check(CHECK)
    world.write_all({"shop.py": RIGHT})
    world.stop()

    assert world.outcome == "done"
