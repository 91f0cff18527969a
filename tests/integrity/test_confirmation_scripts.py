"""Checks without a report: what a run of the baseline's scripts can and cannot prove."""

import sys
from pathlib import Path

import pytest

from shop import DONE_SIGNAL
from snippets import snippet
from world import World

BROKEN = "cat\n"
FIXED = "tr a-z A-Z\n"
CASE = '[ "$(echo a | sh shout.sh)" = A ]\n'
CHECK = "set -e\nfor each in tests/*.sh; do sh $each; done\n"


@pytest.fixture
def world(world: World) -> World:
    world.message = DONE_SIGNAL
    return world


@pytest.fixture
def shell(world: World) -> World:
    world.write_all({"shout.sh": BROKEN, "tests/small.sh": CASE, "ci/check.sh": CHECK})
    return world


def stop(world: World) -> tuple[str | None, list[str]]:
    world.stop()
    return world.outcome, world.concerns


def test_a_test_script_may_grow_where_the_baselines_script_passes(shell: World) -> None:
    shell.start_check("sh ci/check.sh")
    more = '[ "$(echo bc | sh shout.sh)" = BC ]\n'
    shell.write_all({"shout.sh": FIXED, "tests/small.sh": "set -e\n" + CASE + more})

    assert stop(shell) == ("done", [])


def test_a_script_of_tests_may_be_split(shell: World) -> None:
    shell.start_check("sh ci/check.sh")
    (shell.project / "tests" / "small.sh").unlink()
    shell.write_all({"shout.sh": FIXED, "tests/one.sh": CASE, "tests/two.sh": CASE})

    assert stop(shell) == ("done", [])


@pytest.mark.parametrize("text", ["true\n", CASE.replace("= A", "= a"), CASE + "exit 0\n"])
def test_a_script_of_tests_that_lets_the_old_code_pass_is_a_loss(shell: World, text: str) -> None:
    shell.start_check("sh ci/check.sh")
    shell.write_all({"tests/small.sh": text})

    assert stop(shell) == (None, ["edit-expected:tests/small.sh"])


def test_a_run_that_does_not_come_to_a_script_proves_nothing_of_it(shell: World) -> None:
    shell.write_all({"ci/lint.sh": "grep -q A-Z shout.sh\n"})
    shell.start_check("sh ci/lint.sh")
    shell.write_all({"shout.sh": FIXED, "tests/small.sh": "true\n"})

    assert stop(shell) == (None, ["edit-expected:tests/small.sh"])


RUFF = f"{Path(sys.executable).parent / 'ruff'} check --no-cache --output-format concise ."
TEST = """\
import os

from shop import price


def test_price():
    assert price() == 1
"""


def test_tests_that_the_linter_refused_may_be_fixed(world: World) -> None:
    shop = snippet("""
        import sys


        def price():
            return 1
    """)
    world.write_all({"shop.py": shop, "tests/test_shop.py": TEST, "ruff_toml": ""})
    world.start_check(RUFF)
    world.write("shop.py", shop.replace("import sys\n\n\n", ""))
    world.write("tests/test_shop.py", TEST.replace("import os\n\n", ""))

    assert stop(world) == ("done", [])


def test_a_fix_for_the_linter_may_not_weaken_the_test(world: World) -> None:
    world.write_all({"shop.py": "def price():\n    return 1\n", "tests/test_shop.py": TEST})
    world.start_check(RUFF)
    weaker = TEST.replace("import os\n\n", "").replace("price() == 1", "price")
    world.write("tests/test_shop.py", weaker)

    assert stop(world) == (None, ["edit-test:tests/test_shop.py:test_price"])
